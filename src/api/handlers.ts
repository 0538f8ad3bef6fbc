import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import type { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import type { AuthService } from "../../gen/iam/auth/v1/auth_service_pb.js";
import type { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import type { GroupService } from "../../gen/iam/group/v1/group_service_pb.js";
import type { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { UserService } from "../../gen/iam/user/v2/user_service_pb.js";

/**
 * Handlers of some methods of the contract, whichever service they are called through. What a file
 * of handlers answers `satisfies` this, which types requests and answers and knows every name.
 */
export type Handlers = Partial<
  ServiceImpl<typeof AdminService> &
    ServiceImpl<typeof AuthService> &
    ServiceImpl<typeof EventService> &
    ServiceImpl<typeof GroupService> &
    ServiceImpl<typeof ManagementService> &
    ServiceImpl<typeof UserService>
>;

/**
 * The same of one service, for methods whose names another service has as well: what they answer is
 * about the instance there, and about an organization here.
 */
export type AdminHandlers = Partial<ServiceImpl<typeof AdminService>>;
/** The same. */
export type ManagementHandlers = Partial<ServiceImpl<typeof ManagementService>>;

/** Handlers of some methods that people call with nothing but a code. */
export type AccountHandlers = Partial<ServiceImpl<typeof AccountService>>;

import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { AssetService } from "../../gen/iam/asset/v1/asset_service_pb.js";
import { AuthService } from "../../gen/iam/auth/v1/auth_service_pb.js";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import { GroupService } from "../../gen/iam/group/v1/group_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";

/** The services of the contract. */
export const services = [
  AdminService,
  ManagementService,
  UserService,
  EventService,
  GroupService,
  AssetService,
  AuthService,
  AccountService,
] as const;

/** Their methods. */
export const methods = services.flatMap((service) => service.methods);

import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import type { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { appHandlers } from "./app.ts";
import { memberHandlers } from "./member.ts";
import { orgHandlers } from "./org.ts";
import { projectHandlers } from "./project.ts";
import type { Service } from "./service.ts";
import { userHandlers } from "./user.ts";

/** The handler sets of the services; a method of the contract without a handler does not compile. */
export interface Services {
  readonly admin: ServiceImpl<typeof AdminService>;
  readonly management: ServiceImpl<typeof ManagementService>;
}

export function createServices(service: Service): Services {
  const { addIAMMember, ...members } = memberHandlers(service);
  return {
    admin: { addIAMMember },
    management: {
      ...appHandlers(service),
      ...members,
      ...orgHandlers(service),
      ...projectHandlers(service),
      ...userHandlers(service),
    },
  };
}

import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { actionHandlers } from "./action.ts";
import { appHandlers } from "./app.ts";
import { humanHandlers } from "./human.ts";
import { idpHandlers } from "./idp.ts";
import { memberHandlers } from "./member.ts";
import { orgHandlers } from "./org.ts";
import { phoneHandlers } from "./phone.ts";
import { projectHandlers } from "./project.ts";
import { samlAppHandlers } from "./saml-app.ts";
import type { Service } from "./service.ts";
import { userHandlers } from "./user.ts";

/** A service of the contract with its handlers. */
export interface ServedService {
  readonly service: DescService;
  register(router: ConnectRouter): void;
}

/** All services; a method of the contract without a handler does not compile. */
export function createServices(service: Service): readonly ServedService[] {
  const { addIAMMember, ...members } = memberHandlers(service);
  const { addJWTIDP, updateIDPOIDCConfig, ...orgIDPs } = idpHandlers(service);
  return [
    served(AdminService, { addIAMMember, addJWTIDP, updateIDPOIDCConfig }),
    served(ManagementService, {
      ...actionHandlers(service),
      ...appHandlers(service),
      ...humanHandlers(service),
      ...members,
      ...orgHandlers(service),
      ...orgIDPs,
      ...projectHandlers(service),
      ...samlAppHandlers(service),
      ...userHandlers(service),
    }),
    served(UserService, phoneHandlers(service)),
  ];
}

/** Pairs a service with a complete set of handlers; messages may have a limit of their own. */
export function served<Desc extends DescService>(
  service: Desc,
  handlers: ServiceImpl<Desc>,
  limits?: { readonly readMaxBytes: number },
): ServedService {
  return { service, register: (router) => router.service(service, handlers, limits) };
}

import type { DescMethod } from "@bufbuild/protobuf";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import type { UnaryHandler } from "../../api/once.ts";
import type { Form } from "../call/form.ts";
import type { RestRoute } from "../connect/rest.ts";

/** A unary method as it is served, with the handler that answers it in every form. */
export interface UnaryMethod {
  readonly method: DescMethod;
  readonly handle: UnaryHandler;
  readonly byConnect: UniversalHandler;
}

/** What a request asks for. */
export interface Target {
  readonly unary: UnaryMethod;
  readonly form: Form;
  /** Where the path is one of REST: its route, and the values of its variables by field name. */
  readonly rest?: {
    readonly route: RestRoute;
    readonly pathFields: { readonly [field: string]: string };
  };
}

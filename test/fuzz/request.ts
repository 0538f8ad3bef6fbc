import type { DescMethod } from "@bufbuild/protobuf";
import type { WireRequest } from "../gateway/native/requests.ts";

/** A request as a client has it, or the bytes of a connection that only looks like one of those. */
export type FuzzRequest =
  | { readonly title: string; readonly method?: DescMethod; readonly wire: WireRequest }
  | { readonly title: string; readonly http: 1 | 2; readonly bytes: Buffer };

import { errorBody, httpStatusOf } from "../errors.ts";
import { connectJson, connectProto, sized } from "./connect.ts";
import { noBytes, nodeHeaders, type WireForm } from "./form.ts";

/** Refusals for everybody but Connect's clients: JSON with numbers for codes, never compressed. */
const plainRefusals = {
  dialect: "json",
  refusalBytes: () => noBytes,
  refuse: (error, _part, headers) => {
    const bytes = errorBody(error);
    const packed = { bytes, isGzip: false, isGzipAccepted: false };
    const fields = { ...nodeHeaders(error.metadata), ...headers };
    return {
      status: httpStatusOf(error),
      headers: sized("application/json", packed, fields),
      body: bytes,
    };
  },
} satisfies Partial<WireForm>;

/** JSON without the header of Connect's clients. */
export const json: WireForm = { ...connectJson, ...plainRefusals };

/** Protobuf messages without that header. */
export const proto: WireForm = { ...connectProto, ...plainRefusals };

import { errorBody } from "../call/error-body.ts";
import { httpStatusOf } from "../call/errors.ts";
import {
  type Form,
  type MessageForm,
  noBytes,
  nodeHeaders,
  plain,
  refusalIn,
  toUniversal,
} from "../call/form.ts";
import { connectIn, sized } from "./connect.ts";

/**
 * Calls like those of Connect, without the header of its clients: refusals are JSON with numbers
 * for codes, and never compressed.
 */
export function plainIn(messages: MessageForm): Form {
  const form: Form = {
    ...connectIn(messages),
    name: "json",
    refusalBytes: () => noBytes,
    refuse: (error, _part, headers) => {
      const body = errorBody(error);
      const fields = { ...nodeHeaders(error.metadata), ...headers };
      return {
        status: httpStatusOf(error),
        headers: sized("application/json", plain(body), fields),
        body,
      };
    },
    amend: (answered, error) =>
      answered.status === 200 ? answered : toUniversal(refusalIn(form, error)),
  };
  return form;
}

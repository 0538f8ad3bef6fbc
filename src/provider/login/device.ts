import type { Answer, Visit } from "../../pages/account.ts";
import { devicePage, type WrongDevice } from "../../pages/html/device.ts";
import type { PageTable } from "../../pages/routes.ts";
import { readUserCode } from "../base/device.ts";
import { routes } from "../base/site.ts";
import { countBegun, countDeviceCode } from "../base/tries.ts";
import { beginDevice } from "../library/device.ts";
import { type LoginSite, ok, reachLibrary } from "./open.ts";

/** The page on which people enter the code that a device shows (RFC 8628, 3.3). */
export function devicePages(site: LoginSite): PageTable {
  return {
    [routes.code_verification]: {
      get: async ({ fields }) => ok(devicePage({ code: fields.of("user_code") })),
      post: (visit) => site.unit.hold(() => take(site, visit)),
    },
  };
}

/** Leads on to the login, with nothing but the code: what it is for is said and asked there. */
async function take(site: LoginSite, visit: Visit): Promise<Answer> {
  const { provider, address, ctx } = await reachLibrary(site, visit);
  const { accountId: userId } = await provider.Session.get(ctx);
  const typed = visit.fields.of("user_code");
  const giveBack = await countDeviceCode(site, { userId, address });
  if (giveBack === undefined) return again(typed, "tooMany");
  const code = await provider.DeviceCode.findByUserCode(readUserCode(typed));
  if (code === undefined) return again(typed, "wrong");
  await giveBack();
  if (!(await countBegun(site, address))) return again(typed, "tooMany");
  const path = await beginDevice(site, { provider, code, ctx });
  return { redirect: `..${path}` };
}

function again(code: string, wrong: WrongDevice): Answer {
  return { status: { wrong: 400, tooMany: 429 }[wrong], page: devicePage({ code, wrong }) };
}

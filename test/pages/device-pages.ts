import { consentPage } from "../../src/pages/html/consent.ts";
import { deviceNoticePage, devicePage } from "../../src/pages/html/device.ts";
import type { Frame, Page } from "../../src/pages/html/page.ts";

/** The pages of somebody who logs in on a device. */
export function devicePages(given: string): readonly (readonly [string, (frame: Frame) => Page])[] {
  const target = { uid: given, application: given, organization: given };
  return [
    ["code of a device", devicePage({ code: given })],
    ["wrong code of a device", devicePage({ code: given, wrong: "wrong" })],
    ["wrong code of a device, too often", devicePage({ code: "", wrong: "tooMany" })],
    ["device that asks", consentPage(target, { displayName: given, asks: ["profile", "away"] })],
    ["device that is allowed", deviceNoticePage("allowed")],
    ["device that is denied", deviceNoticePage("denied")],
    ["problem of a code of a device that is over", deviceNoticePage("over")],
  ];
}

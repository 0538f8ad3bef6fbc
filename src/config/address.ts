import { isIP } from "node:net";
import { isWebhookUrl } from "../notify/channel/sms.ts";

/** Whether a text names where to listen: an address or a host. */
export function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text);
}

/** Whether a text is a URL that links can begin with. */
export function isPublicUrl(text: string): boolean {
  return /^https?:\/\/[^\s?#\\]+$/.test(text) && URL.canParse(text);
}

/** Whether a text names a file of this machine, or a webhook. */
export function isAnchorUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host, pathname } = new URL(text);
  if (protocol === "file:") return host === "" && !pathname.endsWith("/");
  return isWebhookUrl(text);
}

/** Whether a text is an origin as browsers write it. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

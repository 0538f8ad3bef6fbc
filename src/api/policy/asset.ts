import type { ServiceImpl } from "@connectrpc/connect";
import {
  AssetKind,
  AssetTheme,
  type RemoveRequest,
  type UploadRequest,
} from "../../../gen/iam/asset/v1/asset_pb.js";
import type { AssetService } from "../../../gen/iam/asset/v1/asset_service_pb.js";
import { readImage } from "../../domain/image/image.ts";
import { imageLimits } from "../../domain/image/limits.ts";
import { type Image, imagePath, removeImage, setImage } from "../../domain/policy/image.ts";
import { label } from "../../domain/policy/label.ts";
import { policyId } from "../../domain/policy/policy.ts";
import { attachmentDigest } from "../../store/attachment.ts";
import { callOf, needInInstance, refuse } from "../call.ts";
import { countInDay } from "../count.ts";
import { changedDetails } from "../details.ts";
import { confirmCaller, type Service } from "../service.ts";
import { policyCalls } from "./calls.ts";

/** The handlers on the images of label policies. */
export function assetHandlers(service: Service): ServiceImpl<typeof AssetService> {
  const calls = {
    instance: policyCalls(service, label, "instance"),
    organization: policyCalls(service, label, "organization"),
  };
  return {
    async upload(request, context) {
      if (request.instance) needInInstance(context, "iam.policy.write");
      const reading = readImage(request.data);
      if (reading.kind === "refused") refuse("IMAGE_INVALID", reading.problem);
      const { type, bytes } = reading.image;
      const policy = policyId(request.instance ? undefined : callOf(context).organization);
      await confirmCaller(service, context);
      await countInDay(service, policy, [uploads], tooMany);
      const image = { sha256: attachmentDigest(bytes), type };
      const decide = (before: Parameters<typeof setImage>[0]) =>
        setImage(before, imageOf(request), image, policy);
      return await calls[levelOf(request)].change(context, decide, {
        attachments: [bytes],
        answer: (written) => ({
          details: changedDetails(written),
          url: imageUrl(service, image),
        }),
      });
    },

    async remove(request, context) {
      if (request.instance) needInInstance(context, "iam.policy.write");
      return await calls[levelOf(request)].change(context, (before) =>
        removeImage(before, imageOf(request)),
      );
    },
  };
}

/** The address of an image; empty where there is none. */
export function imageUrl(
  { publicUrl }: Pick<Service, "publicUrl">,
  image: Image | undefined,
): string {
  return image === undefined ? "" : `${publicUrl()}/ui/${imagePath(image)}`;
}

const uploads = { name: "uploads", usesMax: imageLimits.uploadsPerDay };
const tooMany = { reason: "TOO_MANY_UPLOADS", done: "Images were uploaded" } as const;

function levelOf({ instance }: UploadRequest | RemoveRequest) {
  return instance ? "instance" : "organization";
}

function imageOf({ kind, theme }: UploadRequest | RemoveRequest) {
  return {
    kind: kind === AssetKind.ICON ? "icon" : "logo",
    theme: theme === AssetTheme.DARK ? "dark" : "light",
  } as const;
}

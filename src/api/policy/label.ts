import { create } from "@bufbuild/protobuf";
import { LabelPolicySchema, ThemeMode } from "../../../gen/iam/policy/v1/label_policy_pb.js";
import type { Violation } from "../../domain/decision.ts";
import { contrastViolations, type LabelPolicy, label } from "../../domain/policy/label.ts";
import { enumNames } from "../enum.ts";
import type { AdminHandlers, ManagementHandlers } from "../handlers.ts";
import type { Service } from "../service.ts";
import { imageUrl } from "./asset.ts";
import { type FoundHere, policyCalls } from "./calls.ts";
import { refuseEffectless } from "./effectless.ts";

/** The handlers on the label policies of organizations. */
export function labelPolicyHandlers(service: Service) {
  const calls = policyCalls(service, label, "organization");
  return {
    async getLabelPolicy(_request, context) {
      const found = await calls.find(context);
      return { policy: showLabel(service, found), isDefault: found.isDefault };
    },
    addCustomLabelPolicy: (request, context) => calls.add(context, readLabel(request)),
    updateCustomLabelPolicy: (request, context) => calls.update(request, context, form),
    resetLabelPolicyToDefault: (_request, context) => calls.reset(context),
  } satisfies ManagementHandlers;
}

/** The handlers on the label policy of the instance. */
export function instanceLabelHandlers(service: Service) {
  const calls = policyCalls(service, label, "instance");
  return {
    getLabelPolicy: async (_request, context) => ({
      policy: showLabel(service, await calls.find(context)),
    }),
    updateLabelPolicy: (request, context) => calls.update(request, context, form),
  } satisfies AdminHandlers;
}

/** A label policy as requests give it. */
interface Given extends Colours {
  readonly hideLoginNameSuffix: boolean;
  readonly disableWatermark: boolean;
  readonly themeMode: ThemeMode;
}

type Colours = { readonly [name in (typeof colours)[number]]: string };

const colours = [
  ...(["primaryColor", "warnColor", "backgroundColor", "fontColor"] as const),
  ...(["primaryColorDark", "warnColorDark", "backgroundColorDark", "fontColorDark"] as const),
];

function readLabel(given: Given): Omit<LabelPolicy, "images"> {
  return { ...readColours(given), themeMode: themes.read(given.themeMode) };
}

function showSettings(policy: LabelPolicy) {
  return { ...readColours(policy), themeMode: themes.show(policy.themeMode) };
}

const form = { read: readLabel, show: showSettings };

/** The colours of a request, of which an empty one is the default. */
function readColours(given: Colours): Colours {
  const all = colours.map((name) => [name, given[name].toLowerCase() || label.defaults[name]]);
  return Object.fromEntries(all) as Colours;
}

/** Broken rules that several fields decide, and fields that would do nothing. */
export function labelViolations(given: Given): readonly Violation[] {
  const named = Object.entries(readColours(given)).map(([name, value]) => {
    return [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value] as const;
  });
  return [
    ...contrastViolations(Object.fromEntries(named)),
    ...refuseEffectless({
      hide_login_name_suffix: given.hideLoginNameSuffix,
      disable_watermark: given.disableWatermark,
    }),
  ];
}

function showLabel(service: Service, { policy, isDefault, details }: FoundHere<LabelPolicy>) {
  const { logo, icon } = policy.images;
  return create(LabelPolicySchema, {
    ...{ ...details, ...showSettings(policy), isDefault },
    logoUrl: imageUrl(service, logo.light),
    logoUrlDark: imageUrl(service, logo.dark),
    iconUrl: imageUrl(service, icon.light),
    iconUrlDark: imageUrl(service, icon.dark),
  });
}

const modes = enumNames(ThemeMode, "");
const themes = {
  read: (mode: ThemeMode): LabelPolicy["themeMode"] => {
    const name = modes.read(mode);
    return name === "UNSPECIFIED" ? "AUTO" : name;
  },
  show: modes.show,
};

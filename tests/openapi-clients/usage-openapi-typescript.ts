// Uses openapi-typescript's types the way an app would. It is compiled, never run.
import type { components, operations, paths } from "./openapi-typescript.generated";

type Schemas = components["schemas"];
type Responses = operations["bookVisit"]["responses"];
type Refused<Status extends keyof Responses> = Responses[Status]["content"]["application/json"];

const booking: Schemas["Booking"] = {
  message: "A cut on Saturday morning, please",
  openSlots: ["sat-10:30", "sat-11:30", "sat-13:00"],
};

export const roundOne: Schemas["BookRequest"] = { arguments: booking };

export function roundTwo(question: Schemas["InputRequired"], time: string): Schemas["BookRequest"] {
  return {
    arguments: booking,
    inputResponses: { time: { action: "accept", content: { time } } },
    requestState: question.requestState,
  };
}

export const declined: Schemas["TimeAnswer"] = { action: "decline" };
export const cancelled: Schemas["TimeAnswer"] = { action: "cancel" };
export const withNulls: Schemas["BookRequest"] = { arguments: booking, inputResponses: null, requestState: null };

// @ts-expect-error An accept names its time.
export const timeless: Schemas["TimeAnswer"] = { action: "accept" };
// @ts-expect-error There are three actions.
export const unknownAction: Schemas["TimeAnswer"] = { action: "maybe" };
// @ts-expect-error A booking has its slots.
export const slotless: Schemas["Booking"] = { message: "a trim" };

// The literals, in both directions: each is exactly this and not a wider type.
export const asked: Schemas["InputRequired"]["resultType"] = "input_required";
export const alsoAsked: "input_required" = asked;
export const kinds: Record<Schemas["BookResult"]["resultType"], string> = { input_required: "asked", complete: "done" };
export const statuses: Record<Schemas["BookingOutcome"]["status"], string> = { booked: "yes", not_booked: "no" };

export function timesOf(question: Schemas["InputRequired"]): string[] {
  return question.inputRequests.time.params.requestedSchema.properties.time.enum;
}

export function slotOf(booked: Schemas["Booked"]): string {
  return booked.slot; // there, always
}

function unreachable(value: never): never {
  throw new Error(`not handled: ${JSON.stringify(value)}`);
}

function shownOutcome(outcome: Schemas["BookingOutcome"]): string {
  switch (outcome.status) {
    case "booked":
      return `${outcome.slot}: ${outcome.say}`;
    case "not_booked":
      // @ts-expect-error What is not booked has no slot.
      void outcome.slot;
      return outcome.say;
    default:
      return unreachable(outcome);
  }
}

export function shown(result: Schemas["BookResult"]): string {
  switch (result.resultType) {
    case "input_required":
      // @ts-expect-error A question is not a booking.
      void result.structuredContent;
      return `${result.inputRequests.time.params.message} ${timesOf(result).join(", ")}`;
    case "complete":
      return shownOutcome(result.structuredContent);
    default:
      return unreachable(result);
  }
}

export const reply: Schemas["BookResult"] extends Responses[200]["content"]["application/json"] ? true : false = true;
export const reason: Refused<400> = "requestState has expired";
export const reasons: [Refused<404>, Refused<405>, Refused<413>, Refused<415>, Refused<503>] = [
  "there is nothing at this path",
  "this path doesn't take that method; see Allow",
  "the body is over the limit",
  "the body must be JSON: send Content-Type: application/json",
  "the booking service is unavailable",
];
export const retryAfterSeconds: Responses[503]["headers"]["Retry-After"] = 5;
export const allow: Responses[405]["headers"]["Allow"] = "POST";
export const parameters: paths["/salons/{salon}/book"]["post"]["parameters"] = {
  path: { salon: "elm-street" },
  header: { "X-Request-Id": "app-7f3a.42" },
};

// Uses RTK Query's generated client the way an app would. It is compiled, never run.
import { configureStore } from "@reduxjs/toolkit";
import {
  bookingApi,
  useBookVisitMutation,
  useGetOpenapiQuery,
  type Booked,
  type Booking,
  type BookingOutcome,
  type BookRequest,
  type BookResult,
  type BookVisitApiArg,
  type BookVisitApiResponse,
  type InputRequired,
  type TimeAnswer,
} from "./rtk-query.generated";

const booking: Booking = {
  message: "A cut on Saturday morning, please",
  openSlots: ["sat-10:30", "sat-11:30", "sat-13:00"],
};

export const roundOne: BookVisitApiArg = { salon: "elm-street", bookRequest: { arguments: booking } };

export function roundTwo(question: InputRequired, time: string): BookVisitApiArg {
  return {
    salon: "elm-street",
    "X-Request-Id": "app-7f3a.42",
    bookRequest: {
      arguments: booking,
      inputResponses: { time: { action: "accept", content: { time } } },
      requestState: question.requestState,
    },
  };
}

export const declined: TimeAnswer = { action: "decline" };
export const cancelled: TimeAnswer = { action: "cancel" };
export const withNulls: BookRequest = { arguments: booking, inputResponses: null, requestState: null };

// @ts-expect-error An accept names its time.
export const timeless: TimeAnswer = { action: "accept" };
// @ts-expect-error There are three actions.
export const unknownAction: TimeAnswer = { action: "maybe" };
// @ts-expect-error A booking has its slots.
export const slotless: Booking = { message: "a trim" };

// The literals, in both directions: each is exactly this and not a wider type.
export const asked: InputRequired["resultType"] = "input_required";
export const alsoAsked: "input_required" = asked;
export const kinds: Record<BookResult["resultType"], string> = { input_required: "asked", complete: "done" };
export const statuses: Record<BookingOutcome["status"], string> = { booked: "yes", not_booked: "no" };

export function timesOf(question: InputRequired): string[] {
  return question.inputRequests.time.params.requestedSchema.properties.time.enum;
}

export function slotOf(booked: Booked): string {
  return booked.slot; // there, always
}

function unreachable(value: never): never {
  throw new Error(`not handled: ${JSON.stringify(value)}`);
}

function shownOutcome(outcome: BookingOutcome): string {
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

export function shown(result: BookVisitApiResponse): string {
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

const store = configureStore({
  reducer: { [bookingApi.reducerPath]: bookingApi.reducer },
  middleware: (defaults) => defaults().concat(bookingApi.middleware),
});

export async function bookFirstTime(): Promise<string> {
  const first = await store.dispatch(bookingApi.endpoints.bookVisit.initiate(roundOne)).unwrap();
  if (first.resultType !== "input_required") return shown(first);
  const time = timesOf(first)[0];
  if (time === undefined) return first.inputRequests.time.params.message;
  return shown(await store.dispatch(bookingApi.endpoints.bookVisit.initiate(roundTwo(first, time))).unwrap());
}

export function useBooking(): { book: () => void; text: string } {
  const [book, { data }] = useBookVisitMutation();
  const { data: document } = useGetOpenapiQuery({});
  return {
    book: () => void book(roundOne),
    text: data === undefined ? (document?.info.title ?? "") : shown(data),
  };
}

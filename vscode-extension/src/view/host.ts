// The other end of the line: the extension.
import type { Buckets, BucketsRequest, FromResults, Region, RegionValues, ToResults } from "../messages.ts";

declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

const api = acquireVsCodeApi();

export function post(message: unknown): void {
  api.postMessage(message);
}

let lastId = 0;
const waiting = new Map<number, (answer: never) => void>();

function ask<Answer>(message: (id: number) => FromResults): Promise<Answer | null> {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    post(message(id));
  });
}

/** The numbers of a region; null where they are gone. */
export function askRegion(region: Region): Promise<RegionValues | null> {
  return ask((id) => ({ type: "region", id, region }));
}

export function askBuckets(request: BucketsRequest): Promise<Buckets | null> {
  return ask((id) => ({ type: "buckets", id, request }));
}

/** Takes an answer to `askRegion` or `askBuckets`. */
export function answered(message: Extract<ToResults, { id: number }>): void {
  const resolve = waiting.get(message.id);
  waiting.delete(message.id);
  resolve?.((message.type === "region" ? message.region : message.buckets) as never);
}

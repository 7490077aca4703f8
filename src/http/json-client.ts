import type { Network } from '../ports/network.ts'
import { readBytes } from './bytes.ts'

/** A JSON request to another service. */
export type JsonRequest = {
  readonly json: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Sends a JSON request by POST. Redirects are returned as responses: following one would send the secrets of the request to
 * another server. */
export function postJson(
  network: Pick<Network, 'fetch'>,
  url: string,
  { json, headers, signal }: JsonRequest,
): Promise<Response> {
  return network.fetch(
    new Request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(json),
      redirect: 'manual',
      signal,
    }),
  )
}

/** Parses the JSON of a response and reads at most `sizeMaxBytes` of it. @throws {Error} for a larger body or invalid JSON */
export async function jsonOf(response: Response, sizeMaxBytes: number): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await readBytes(response, sizeMaxBytes))) as unknown
}

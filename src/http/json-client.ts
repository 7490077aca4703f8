import type { Network } from '../ports/network.ts'
import { readBytes } from './bytes.ts'

/** A question to another service, as JSON. */
export type Question = {
  readonly json: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Asks another service. A redirect is an answer and is not followed: whoever redirects would get what is secret sent on. */
export function ask(
  network: Pick<Network, 'fetch'>,
  url: string,
  { json, headers, signal }: Question,
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

/** The JSON of an answer, of which no more than the bound is ever held. @throws {Error} when it is larger or no JSON */
export async function jsonOf(response: Response, sizeMaxBytes: number): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await readBytes(response, sizeMaxBytes))) as unknown
}

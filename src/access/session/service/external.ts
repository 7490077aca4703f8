import * as z from 'zod'
import type { Credentials } from '../../../http/credentials.ts'
import { jsonOf, postJson } from '../../../http/json-client.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Network } from '../../../ports/network.ts'

const TIMEOUT_MS = 5_000
const ANSWER_MAX_BYTES = 16 * 1024
const RETRY_AFTER_S = 5

const answerSchema = z.object({ authenticated: z.boolean(), username: z.string() })

/** Whether the external service of `docs/guides/users-and-rights.md` accepts the password of a user. No answer is cached.
 * @throws {Refusal} unavailable when the service does not answer in time, or answers neither yes nor no */
export async function askAuthService(
  network: Pick<Network, 'fetch'>,
  url: string,
  { username, password }: Credentials,
): Promise<boolean> {
  const request = { json: { username, password }, signal: AbortSignal.timeout(TIMEOUT_MS) }
  try {
    const response = await postJson(network, url, request)
    if (response.status === 401 || response.status === 403) return false
    if (response.status !== 200) throw new TypeError(`The service answered ${response.status}.`)
    const answer = answerSchema.parse(await jsonOf(response, ANSWER_MAX_BYTES))
    if (answer.username !== username) throw new TypeError('The service answered for another user.')
    return answer.authenticated
  } catch (cause) {
    throw away(cause)
  }
}

function away(cause: unknown): Refusal {
  const refusal = new Refusal(
    'unavailable',
    'The external password service is unavailable. Try again later.',
    [],
    RETRY_AFTER_S,
  )
  refusal.cause = cause
  return refusal
}

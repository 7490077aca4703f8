import { ADMIN } from '../hosts/host.ts'
import { timed } from './probe.ts'
import type { Answer } from './probe.ts'

export type Body = Record<string, unknown>
export type Stored = { readonly at: number; readonly value: number }

const DAY_MS = 86_400_000
const PAGE = 10_000

/** The administrator's session. It outlives the process that opened it, so every call says where the service is now. */
export class Session {
  readonly id: string

  private constructor(id: string) {
    this.id = id
  }

  static async open(url: string): Promise<Session> {
    const answer = await fetch(`${url}/session/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ADMIN),
    })
    const { sessionId } = (await answer.json()) as { sessionId: string }
    return new Session(sessionId)
  }

  send(url: string, path: string, body: Body, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': this.id, ...headers },
      body: JSON.stringify(body),
    })
  }

  deliver(url: string, jobId: number, body: Body, headers: Record<string, string> = {}): Promise<Response> {
    return this.send(url, `/webcollector/jobs/${jobId}/values`, body, headers)
  }

  /** One call with the time it took; a body makes it a POST. */
  ask(url: string, path: string, body?: Body): Promise<Answer> {
    const post = { method: 'POST', body: JSON.stringify(body) }
    const headers = { 'content-type': 'application/json', 'x-session-id': this.id }
    return timed(url + path, { ...(body && post), headers })
  }

  async remove(url: string, path: string): Promise<number> {
    const answer = await fetch(url + path, { method: 'DELETE', headers: { 'x-session-id': this.id } })
    return answer.status
  }

  async get(url: string, path: string): Promise<Body> {
    const answer = await fetch(url + path, { headers: { 'x-session-id': this.id } })
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Body
  }

  async put(url: string, path: string, body: Body): Promise<void> {
    const answer = await fetch(url + path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-session-id': this.id },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`PUT ${path}: ${answer.status} ${await answer.text()}`)
  }

  /** Makes webhook jobs of one numeric value below a device of their own. */
  async createJobs(
    url: string,
    count: number,
    parameters: Body = {},
    more: Body = {},
  ): Promise<readonly number[]> {
    const deviceId = await this.create(url, '/devices?parentType=group&parentId=1', {
      name: crypto.randomUUID(),
    })
    const ids: number[] = []
    for (let index = 0; index < count; index++) {
      const job = {
        name: `job ${index}`,
        parameters: { returnValue: [{ valueName: 'value' }], ...parameters },
        ...more,
      }
      ids.push(await this.create(url, `/jobs?parentType=device&parentId=${deviceId}`, job))
    }
    return ids
  }

  /** Every sample of a series that the service answers, in its order. */
  async readSamples(url: string, jobId: number, key = 'returnValue1'): Promise<readonly Stored[]> {
    const samples: Stored[] = []
    // From yesterday to tomorrow: the clock of the service may have been set.
    const [begin, end] = [-DAY_MS, DAY_MS].map((ms) => new Date(Date.now() + ms).toISOString())
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = cursor === '' ? '' : `&cursor=${cursor}`
      const path = `/jobs/${jobId}/value-history?scale=PT0S&limit=${PAGE}&timestamp_begin=${begin}&timestamp_end=${end}&key=${key}${page}`
      const { values, nextCursor } = await this.get(url, path)
      for (const { timestamp, value } of values as { timestamp: string; value: number }[]) {
        samples.push({ at: Date.parse(timestamp), value })
      }
      cursor = typeof nextCursor === 'string' ? nextCursor : null
    }
    return samples
  }

  /** Every sample of each of these jobs, by its id. */
  async readHistories(url: string, jobIds: readonly number[]): Promise<Map<number, readonly Stored[]>> {
    const histories = new Map<number, readonly Stored[]>()
    for (const jobId of jobIds) histories.set(jobId, await this.readSamples(url, jobId))
    return histories
  }

  /** @returns the id of what was made */
  async create(url: string, path: string, body: Body): Promise<number> {
    const answer = await this.send(url, path, body)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`)
    return Number(((await answer.json()) as Body)['id'])
  }
}

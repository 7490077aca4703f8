import { ADMIN } from '../hosts/host.ts'

export type Body = Record<string, unknown>
export type Stored = { readonly at: number; readonly value: number }

const PAGE = 10_000

/** The administrator's session. It outlives the process that opened it, so every call says where the service is now. */
export class Session {
  readonly #id: string

  private constructor(id: string) {
    this.#id = id
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
      headers: { 'content-type': 'application/json', 'x-session-id': this.#id, ...headers },
      body: JSON.stringify(body),
    })
  }

  deliver(url: string, jobId: number, body: Body, headers: Record<string, string> = {}): Promise<Response> {
    return this.send(url, `/webcollector/jobs/${jobId}/values`, body, headers)
  }

  async get(url: string, path: string): Promise<Body> {
    const answer = await fetch(url + path, { headers: { 'x-session-id': this.#id } })
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Body
  }

  /** Makes webhook jobs of one numeric value below a device of their own. */
  async createJobs(url: string, count: number, parameters: Body = {}): Promise<readonly number[]> {
    const deviceId = await this.#create(url, '/devices?parentType=group&parentId=1', {
      name: crypto.randomUUID(),
    })
    const ids: number[] = []
    for (let index = 0; index < count; index++) {
      const job = {
        name: `job ${index}`,
        parameters: { returnValue: [{ valueName: 'value' }], ...parameters },
      }
      ids.push(await this.#create(url, `/jobs?parentType=device&parentId=${deviceId}`, job))
    }
    return ids
  }

  /** Every sample of a series that the service answers, in its order. */
  async readSamples(url: string, jobId: number, key = 'returnValue1'): Promise<readonly Stored[]> {
    const samples: Stored[] = []
    const end = new Date(Date.now() + 60_000).toISOString()
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = cursor === '' ? '' : `&cursor=${cursor}`
      const path = `/jobs/${jobId}/value-history?scale=PT0S&limit=${PAGE}&timestamp_end=${end}&key=${key}${page}`
      const { values, nextCursor } = await this.get(url, path)
      for (const { timestamp, value } of values as { timestamp: string; value: number }[]) {
        samples.push({ at: Date.parse(timestamp), value })
      }
      cursor = typeof nextCursor === 'string' ? nextCursor : null
    }
    return samples
  }

  async #create(url: string, path: string, body: Body): Promise<number> {
    const answer = await this.send(url, path, body)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`)
    return Number(((await answer.json()) as Body)['id'])
  }
}

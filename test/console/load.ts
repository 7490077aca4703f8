import type { CDPSession, Page } from 'playwright-core'

import { logIn, speakTo } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { Ear } from '../events/ear.ts'
import { ADMIN } from '../hosts/host.ts'
import type { Host } from '../hosts/host.ts'

type Made = { readonly id: number }

/** Deliveries are sent in this many groups a second. */
const GROUPS_PER_SECOND = 10
const FLIPPING_JOBS = 20
const LIMIT = 50
/** The garbage of a page is collected in several turns: the first frees what the second can then collect. */
const COLLECTIONS = 3

/** A service that sends events at a steady rate, and how many events a reader of them has heard. */
export type Load = {
  /** The job whose values are sent to the pages that watch it. */
  readonly job: number
  /** Sends deliveries for some seconds. Returns the events that a page which watches the job received.
   * @param values deliveries a second to the job
   * @param flips deliveries a second that change the state of another job */
  run(seconds: number, rate: { readonly values: number; readonly flips: number }): Promise<number>
  close(): Promise<void>
}

/** Makes the jobs of a load, and opens a stream that counts what a page hears. */
export async function startLoad(host: Pick<Host, 'url'>): Promise<Load> {
  const sessionIds: { administrator?: string } = {}
  const speaker = await speakTo(host as Host, { sessionIds })
  sessionIds.administrator = await logIn(speaker, ADMIN)
  const headers = { 'x-session-id': sessionIds.administrator, 'content-type': 'application/json' }
  const create = async (path: string, json: object): Promise<number> =>
    (await good<Made>(speaker.request('POST', path, { json }))).id
  const device = await create('/devices?parentId=1', { name: 'load' })
  const createJob = (name: string): Promise<number> =>
    create(`/jobs?parentId=${device}`, {
      name,
      parameters: { returnValue: [{ valueName: 'level', valueUnit: 'm' }] },
      thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: LIMIT }] } },
    })
  const job = await createJob('watched')
  const flipping: number[] = []
  for (let at = 0; at < FLIPPING_JOBS; at++) flipping.push(await createJob(`flipping ${at}`))
  const stream = await fetch(`${host.url}/events?kind=state&kind=alarm&kind=value&jobId=${job}`, { headers })
  const ear = await new Ear(stream.body).until(({ heard }) => heard.length > 0)
  const deliver = async (id: number, returnValue1: number): Promise<void> => {
    const answer = await fetch(`${host.url}/webcollector/jobs/${id}/values`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ returnValue1, errorCode: 0 }),
    })
    if (answer.status !== 200) throw new Error(`A delivery was answered ${answer.status}.`)
    await answer.text()
  }
  let flipped = 0
  const flip = (): Promise<void> => {
    const turn = Math.floor(flipped / FLIPPING_JOBS)
    return deliver(flipping[flipped++ % FLIPPING_JOBS] ?? 0, turn % 2 === 0 ? LIMIT + 1 : 0)
  }
  return {
    job,
    async run(seconds, { values, flips }) {
      const begin = performance.now()
      ear.heard.length = 0
      let sentValues = 0
      let sentFlips = 0
      for (let group = 1; group <= seconds * GROUPS_PER_SECOND; group++) {
        const sent: Promise<void>[] = []
        for (; sentValues < (group * values) / GROUPS_PER_SECOND; sentValues++)
          sent.push(deliver(job, Math.sin(sentValues / 40) * 10))
        for (; sentFlips < (group * flips) / GROUPS_PER_SECOND; sentFlips++) sent.push(flip())
        await Promise.all(sent)
        await Bun.sleep(Math.max(0, begin + (group * 1000) / GROUPS_PER_SECOND - performance.now()))
      }
      return ear.heard.length
    },
    close: () => ear.leave(),
  }
}

/** What a page has used so far. */
export type Usage = {
  /** Processor time of the page's process, in seconds. */
  readonly cpuSeconds: number
  /** Bytes on the heap of its scripts after garbage was collected. */
  readonly heapBytes: number
  /** Nodes and listeners of the document that are still in memory. */
  readonly nodes: number
  readonly listeners: number
}

/** Measures a page by the protocol of Chromium's developer tools. */
export class Meter {
  readonly #session: CDPSession

  private constructor(session: CDPSession) {
    this.#session = session
  }

  static async of(page: Page): Promise<Meter> {
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    return new Meter(session)
  }

  /** Processor time of the page's process so far, in seconds. */
  async cpuSeconds(): Promise<number> {
    return (await this.#metrics())('ProcessTime')
  }

  /** Collects garbage, then reads what the page holds. */
  async usage(): Promise<Usage> {
    const cpuSeconds = await this.cpuSeconds()
    for (let turn = 0; turn < COLLECTIONS; turn++) await this.#session.send('HeapProfiler.collectGarbage')
    const metric = await this.#metrics()
    return {
      cpuSeconds,
      heapBytes: metric('JSHeapUsedSize'),
      nodes: metric('Nodes'),
      listeners: metric('JSEventListeners'),
    }
  }

  async #metrics(): Promise<(name: string) => number> {
    const { metrics } = await this.#session.send('Performance.getMetrics')
    return (name) => {
      const found = metrics.find((metric) => metric.name === name)
      if (!found) throw new Error(`Chromium has no figure ${name}.`)
      return found.value
    }
  }
}

import { randomInt } from 'node:crypto'

import { startProcess } from '../hosts/process.ts'
import type { HostProcess } from '../hosts/process.ts'
import type { Got, Receiver } from '../notifications/receiver.ts'
import { SECRET } from '../notifications/stage.ts'
import { AlarmRecord, THRESHOLDS, VALUES } from './alarm-record.ts'
import type { AlarmVerdict } from './alarm-record.ts'
import { killAll } from './process-tree.ts'
import { Senders } from './senders.ts'
import { Session } from './session.ts'

const JOBS = 10
const SENDERS = 8
const PAUSE_MS = 5
/** However slow the machine is, something has happened before a death. */
const ACKNOWLEDGED_MIN = 5
const DIES_AFTER_MAX_MS = 700
/** So often the host starts at most until nothing waits, each time for longer. */
const QUIET_LIVES_MAX = 15
const QUIET_MS = 600
const ANSWER_MAX_MS = 60
const ERRORS_SHOWN = 5
const REFUSED_ONE_IN = 4

export type LivesOptions = {
  readonly command: readonly string[]
  readonly dataDir: string
  /** Where the system database is, once the host has run. */
  readonly databaseFile: () => string
  readonly receiver: Receiver
  /** Makes a host look for due work, where time alone does not. */
  readonly wake?: (host: HostProcess) => void
}

/** One installation whose host is killed again and again, with jobs whose states change and somebody who is told. Each
 * death is as long as what waits for another attempt has to. */
export class Lives {
  readonly #options: LivesOptions
  readonly #session: Session
  readonly #jobIds: readonly number[]
  /** The messages that the receiver has accepted. */
  readonly #taken: Got[] = []
  /** The errors in the logs of the hosts. */
  readonly #errors: string[] = []
  #host: HostProcess
  /** How often the host died under load. */
  deaths = 0
  /** After how many deaths a job had a transition without its alarm, or an alarm a change without its notice. */
  uncarried = 0
  /** After how many a message was on its way. */
  unsent = 0

  private constructor(
    options: LivesOptions,
    { session, jobIds, host }: { session: Session; jobIds: readonly number[]; host: HostProcess },
  ) {
    this.#options = options
    this.#session = session
    this.#jobIds = jobIds
    this.#host = host
    // It takes its time, so that deaths meet it: what it has seen is not told before it says so.
    options.receiver.answer = async (got) => {
      await Bun.sleep(randomInt(ANSWER_MAX_MS))
      if (randomInt(REFUSED_ONE_IN) === 0) return new Response('later', { status: 503 })
      this.#taken.push(got)
      return new Response('ok')
    }
  }

  static async begin(options: LivesOptions): Promise<Lives> {
    const host = await start(options)
    const session = await Session.open(host.url)
    await tellAll(session, host.url, options.receiver.url)
    const jobIds = await session.createJobs(host.url, JOBS, {}, { thresholds: THRESHOLDS })
    return new Lives(options, { session, jobIds, host })
  }

  /** Delivers what changes states, until the host dies of it; then there is another one. */
  async dieUnderLoad(): Promise<void> {
    const some = Promise.withResolvers<void>()
    let acknowledged = 0
    const acknowledge = () => {
      if (++acknowledged === ACKNOWLEDGED_MIN) some.resolve()
    }
    const load = new Senders({
      session: this.#session,
      ledger: { send: () => VALUES[randomInt(VALUES.length)] ?? 0, acknowledge },
      url: this.#host.url,
      jobIds: this.#jobIds,
      count: SENDERS,
      pauseMs: PAUSE_MS,
    })
    await some.promise
    await Bun.sleep(randomInt(DIES_AFTER_MAX_MS))
    await this.#die()
    await load.stop()
    this.deaths++
    this.#record((record) => {
      this.uncarried += Number(record.uncarried > 0)
      this.unsent += Number(record.unsent > 0)
      record.age()
    })
    this.#host = await start(this.#options)
  }

  /** Lets the host live, and die, until nothing waits any more or nothing is to be hoped for, and compares. */
  async end(): Promise<AlarmVerdict> {
    const histories = await this.#session.readHistories(this.#host.url, this.#jobIds)
    const values = new Map([...histories].map(([id, samples]) => [id, samples.map(({ value }) => value)]))
    for (let life = 1; ; life++) {
      await Bun.sleep(life * QUIET_MS)
      await this.#die()
      const { verdict, waits } = this.#record((record) => {
        record.age()
        const compared = record.compare(values, { sent: this.#options.receiver.got, taken: this.#taken })
        // At the edge a job's own object may have to come back to what nobody heard of it.
        return { verdict: compared, waits: record.uncarried + record.unsent + compared.misjudged > 0 }
      })
      if (!waits || life === QUIET_LIVES_MAX) return verdict
      this.#host = await start(this.#options)
    }
  }

  /** The result, for the console. */
  report(verdict: AlarmVerdict): string {
    const { deaths, uncarried, unsent } = this
    const lines = [`alarms and deaths: ${JSON.stringify({ deaths, uncarried, unsent, ...verdict })}`]
    return [...lines, ...this.#errors.slice(-ERRORS_SHOWN)].join('\n')
  }

  async #die(): Promise<void> {
    await killAll(this.#host)
    this.#errors.push(...this.#host.logs.filter((line) => line.includes('"level":"error"')))
  }

  #record<Result>(read: (record: AlarmRecord) => Result): Result {
    const record = new AlarmRecord(this.#options.databaseFile())
    try {
      return read(record)
    } finally {
      record.close()
    }
  }
}

async function start({ command, dataDir, wake }: LivesOptions): Promise<HostProcess> {
  const environment = { TIDEMARK_OUTBOUND_ALLOW: 'localhost' }
  const host = await startProcess({ command, dataDir, environment })
  wake?.(host)
  return host
}

/** Has everything that is bad told to a webhook, at once. */
async function tellAll(session: Session, url: string, webhookUrl: string): Promise<void> {
  const recipientId = await session.create(url, '/alarmrecipients', {
    name: 'hook',
    type: 'webhook',
    target: { url: webhookUrl, secret: SECRET },
    grouping: 'PT0S',
    messagesPerHour: 3_600,
  })
  const { links } = await session.get(url, '/group/1/alarmLinks')
  const told = (links as readonly object[]).map((link) => ({ ...link, recipientId }))
  await session.put(url, '/group/1/alarmLinks', { links: told })
}

import { randomInt } from 'node:crypto'

import { startProcess } from '../hosts/process.ts'
import type { HostProcess } from '../hosts/process.ts'
import type { Receiver } from '../notifications/receiver.ts'
import { SECRET } from '../notifications/stage.ts'
import { AlarmRecord, THRESHOLDS, VALUES } from './alarm-record.ts'
import type { AlarmVerdict } from './alarm-record.ts'
import { killAll } from './process-tree.ts'
import { Senders } from './senders.ts'
import { Session } from './session.ts'

const JOBS = 10
const SENDERS = 8
const PAUSE_MS = 5
const DIES_AFTER_MS = [100, 900] as const
/** So often the host starts at most until nothing waits, each time for longer. */
const QUIET_LIVES_MAX = 15
const QUIET_MS = 600

export type LivesOptions = {
  readonly command: readonly string[]
  readonly dataDir: string
  /** Where the system database is, once the host has run. */
  readonly databaseFile: () => string
  readonly receiver: Receiver
  /** What else brings a host to see what is due, where time alone does not. */
  readonly wake?: (host: HostProcess) => void
}

/** One installation whose host is killed again and again, with jobs whose states change and somebody who is told. Each
 * death is as long as what waits for another attempt has to. */
export class Lives {
  readonly #options: LivesOptions
  readonly #session: Session
  readonly #jobIds: readonly number[]
  #host: HostProcess
  /** After how many deaths there was a transition without its alarm, or a change of one without its notice. */
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
    const load = new Senders({
      session: this.#session,
      ledger: { send: () => VALUES[randomInt(VALUES.length)] ?? 0, acknowledge: () => undefined },
      url: this.#host.url,
      jobIds: this.#jobIds,
      count: SENDERS,
      pauseMs: PAUSE_MS,
    })
    await Bun.sleep(randomInt(...DIES_AFTER_MS))
    await killAll(this.#host)
    await load.stop()
    this.#record((record) => {
      this.uncarried += Number(record.uncarried > 0)
      this.unsent += Number(record.unsent > 0)
      record.age()
    })
    this.#host = await start(this.#options)
  }

  /** Lets the host live, and die, until nothing waits any more, and compares. @throws {Error} when something waits for good */
  async end(): Promise<AlarmVerdict> {
    const histories = await this.#session.readHistories(this.#host.url, this.#jobIds)
    const values = new Map([...histories].map(([id, samples]) => [id, samples.map(({ value }) => value)]))
    for (let life = 1; life <= QUIET_LIVES_MAX; life++) {
      await Bun.sleep(life * QUIET_MS)
      await killAll(this.#host)
      const verdict = this.#record((record) => {
        record.age()
        const isQuiet = record.uncarried + record.unsent === 0
        return isQuiet ? record.compare(values, this.#options.receiver.got) : null
      })
      if (verdict) return verdict
      this.#host = await start(this.#options)
    }
    await killAll(this.#host)
    throw new Error(`After ${QUIET_LIVES_MAX} lives without a change something still waits.`)
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

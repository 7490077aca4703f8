import { DurableObject } from 'cloudflare:workers'

import { createApp } from '../../src/app.ts'
import type { App } from '../../src/app.ts'
import { BEAT_MS, Hub } from '../../src/monitoring/events/service.ts'
import type { JobValues } from '../../src/monitoring/events/values.ts'
import type { EphemeralEvent } from '../../src/ports/events.ts'
import { jsonLog } from '../json-log.ts'
import { clock } from './clock.ts'
import { openD1 } from './d1.ts'
import { readEdgeSettings } from './environment.ts'
import type { Environment } from './environment.ts'
import { inLanes } from './lanes.ts'
import { objectOfJob } from './object-of-job.ts'
import type { Ports } from '../../src/ports/index.ts'
import { portsOf } from './ports.ts'

/** Each watched job costs a call with each renewal. */
const WATCHED_JOBS_MAX = 1_000
/** How long a job publishes its values after a renewal, and the time between renewals. */
const LEASE_MS = 180_000
const RENEW_MS = 60_000

const log = jsonLog(console.log)

/** The ports without the log of requests, because the Worker that passed the request on has logged it. */
function withoutAccessLog(ports: Ports): Ports {
  return { ...ports, settings: { ...ports.settings, logsAccess: false } }
}

/** The one object that serves all streams of events: the application around a hub in memory. Only the route of events is called
 * here. Nothing is stored: when the object ends, its streams end. */
export class EventsObject extends DurableObject<Environment> {
  readonly #hub = new Hub({
    database: openD1(this.env.DB),
    clock,
    log,
    settings: readEdgeSettings(this.env).settings,
    limits: { watchedJobsMax: WATCHED_JOBS_MAX },
    watch: (jobIds) => this.#watch(jobIds),
  })
  readonly #askedAt = new Map<number, number>()
  #app: App | null = null
  #beats: ReturnType<typeof setInterval> | null = null

  /** Answers a request for events. Two packages have different types for the same request and answer. */
  override async fetch(request: object): Promise<never> {
    this.#app ??= createApp(withoutAccessLog(portsOf(this.env, this.#hub)))
    // Beats stop with the object, which the platform ends when no stream is open.
    this.#beats ??= setInterval(() => this.#beat(), BEAT_MS)
    return (await this.#app.fetch(request as Request)) as never
  }

  committed(): Promise<void> {
    return this.#hub.committed()
  }

  publish(passing: EphemeralEvent): Promise<void> {
    return this.#hub.publish(passing)
  }

  tell(values: readonly JobValues[], missed: boolean): Promise<void> {
    return this.#hub.tell(values, missed)
  }

  #beat(): void {
    this.#hub.beat().catch((error: unknown) => log.error('event hub: heartbeat failed; retrying', error))
    if (this.#hub.isAwake || !this.#beats) return
    clearInterval(this.#beats)
    this.#beats = null
    this.#askedAt.clear()
  }

  /** Renews the subscriptions at the objects of jobs, except those that were renewed within the last minute. */
  async #watch(jobIds: readonly number[]): Promise<void> {
    const now = clock.now()
    const due = jobIds.filter((jobId) => Math.abs(now - (this.#askedAt.get(jobId) ?? 0)) >= RENEW_MS)
    await inLanes(due, async (jobId) => {
      await objectOfJob(this.env.JOB, jobId).watch(now + LEASE_MS)
      this.#askedAt.set(jobId, now)
    })
  }
}

import { createApp } from '../../src/app.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { itemsOf, roundOutcome } from '../../src/monitoring/jobs/round.ts'
import type { JobActors } from '../../src/ports/job-actors.ts'
import type { DeliveryOutcome, BulkItem } from '../../src/domain/delivery.ts'
import type { Seams } from '../../workers/server/server.ts'
import { Session } from '../faults/session.ts'
import { startBun } from '../hosts/bun.ts'
import type { Host } from '../hosts/host.ts'
import { readUntil } from '../until.ts'

export const COLLECTOR = { username: 'sender', password: 'a password of a sender' } as const

/** A Bun host with a collector that senders are. */
export type Stage = { readonly host: Host; readonly session: Session }

export async function openStage(seams: Seams = {}): Promise<Stage> {
  const host = await startBun({}, seams)
  const session = await Session.open(host.url)
  const answer = await session.send(host.url, '/users', { ...COLLECTOR, role: 'collector' })
  if (answer.status !== 201) throw new Error(`The collector was not made: ${await answer.text()}`)
  return { host, session }
}

/** A job with numeric values of these names. */
export async function makeJob({ host, session }: Stage, names: readonly string[]): Promise<number> {
  const returnValue = names.map((valueName) => ({ valueName }))
  const [id = 0] = await session.createJobs(host.url, 1, { returnValue })
  return id
}

/** The samples of a job under a key, once there are as many of them. */
export async function received(
  { host, session }: Stage,
  { jobId, key = 'returnValue1', count }: { jobId: number; key?: string; count: number },
): Promise<readonly { readonly at: number; readonly value: number }[]> {
  return readUntil(
    () => session.readSamples(host.url, jobId, key),
    (samples) => samples.length >= count,
  )
}

/** Puts something before the deliveries of a host: outcomes instead of those that would be, or null. */
export function answering(
  outcomes: (parcels: readonly BulkItem[]) => readonly DeliveryOutcome[] | null,
): Seams {
  return {
    fetch: (_, ports) => {
      const { jobActors } = ports
      const before: JobActors = {
        archivesMax: jobActors.archivesMax,
        snapshotsMax: jobActors.snapshotsMax,
        configure: (...call) => jobActors.configure(...call),
        takeBands: (...call) => jobActors.takeBands(...call),
        deliver: (...call) => jobActors.deliver(...call),
        deliverAll: async (parcels, sender) => outcomes(parcels) ?? jobActors.deliverAll(parcels, sender),
        deliverRounds: async (rounds, sender) => {
          const all = outcomes(rounds.flatMap((round) => itemsOf(round, () => null)))
          if (!all) return jobActors.deliverRounds(rounds, sender)
          let from = 0
          return rounds.map(({ jobIds }) => roundOutcome(all.slice(from, (from += jobIds.length))))
        },
        snapshot: (...call) => jobActors.snapshot(...call),
        buckets: (...call) => jobActors.buckets(...call),
        bucketsAll: (...call) => jobActors.bucketsAll(...call),
        samples: (...call) => jobActors.samples(...call),
        archive: (...call) => jobActors.archive(...call),
        restore: (...call) => jobActors.restore(...call),
        forget: (...call) => jobActors.forget(...call),
      }
      return createApp({ ...ports, jobActors: before }).fetch
    },
  }
}

export const AWAY = new Refusal('unavailable', 'The job did not answer. Try again shortly.')

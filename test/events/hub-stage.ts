import { sql } from 'drizzle-orm'

import { openStatePipeline } from '../../src/state-pipeline.ts'
import { Hub } from '../../src/monitoring/events/service.ts'
import type { HubHost } from '../../src/monitoring/events/service.ts'
import { EVENT_KINDS } from '../../src/ports/events.ts'
import type { Reading, Visibility, EventFilter } from '../../src/ports/events.ts'
import { contextOf, plantObject, Teller } from '../flow/plants.ts'
import { openPorts } from '../hosts/ports.ts'
import { Ear } from './ear.ts'

export const EVERYTHING: Visibility = { sees: () => true, seesScripts: true, rights: '' }

/** What a reader asks for, unless a test says otherwise. */
type Ask = Partial<Omit<Reading, 'wanted'>> & { readonly wanted?: Partial<EventFilter> }

/** A hub over a tree of two devices, 2 with the jobs 3 and 4, and 5 with the job 6. */
export async function openHubStage(options: Pick<HubHost, 'limits' | 'watch'> = {}) {
  const opened = await openPorts()
  const { ports, clock, logs } = opened
  const { database, log, settings } = ports
  // Alarms come where a test wants some.
  await database.run(sql`delete from alarm_links`)
  await plantObject(database, { id: 2, type: 'device', path: '/1/2/' })
  await plantObject(database, { id: 3, type: 'job', path: '/1/2/3/' })
  await plantObject(database, { id: 4, type: 'job', path: '/1/2/4/' })
  await plantObject(database, { id: 5, type: 'device', path: '/1/5/' })
  await plantObject(database, { id: 6, type: 'job', path: '/1/5/6/' })
  const openHub = () => new Hub({ database, clock, log, settings, ...options })
  const hub = openHub()
  const wired = { ...ports, flow: openStatePipeline({ database, clock, log, events: hub }), events: hub }
  const teller = new Teller(wired)
  return {
    hub,
    /** An administrator, whose deeds this hub hears of. */
    context: contextOf(wired),
    /** Another one over the same data, as after a restart. */
    openHub,
    database,
    clock,
    logs,
    tell: (objectId: number, to: 'ok' | 'minor' | 'major') =>
      teller.tell(objectId, to, new Date(clock.at).toISOString()),
    async close() {
      hub.close()
      await opened.close()
    },
  }
}

/** A reader of everything, in the way that a test wants to see. */
export function readingOf({ wanted = {}, ...rest }: Ask = {}): Reading {
  return {
    request: new Request('http://host/events'),
    userId: 1,
    wanted: { kinds: new Set(EVENT_KINDS), objectIds: null, jobIds: new Set(), ...wanted },
    lastEventId: null,
    once: false,
    look: () => Promise.resolve(EVERYTHING),
    ...rest,
  }
}

export async function listen(hub: Hub, ask: Ask = {}): Promise<Ear> {
  const { body } = await hub.open(readingOf(ask))
  return new Ear(body)
}

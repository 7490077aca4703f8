import * as z from 'zod'

import { CommandFailure, EXIT } from '../../../server/failures.ts'
import { durationOf, propertiesOf, withOwnNames } from './imported.ts'
import type { ImportedDevice, ImportedGroup, ImportedJob } from './imported.ts'

const monitor = z.object({
  id: z.number().int(),
  name: z.string().transform((name) => name.trim() || 'unnamed'),
  type: z.string(),
  url: z.string().nullish(),
  hostname: z.string().nullish(),
  port: z.number().nullish(),
  interval: z.number().positive().default(60),
  retryInterval: z.number().nonnegative().nullish(),
  maxretries: z.number().int().nonnegative().nullish(),
  active: z.union([z.boolean(), z.number()]).default(true),
  parent: z.number().int().nullish(),
  description: z.string().nullish(),
  tags: z.array(z.object({ name: z.string(), value: z.string().nullish() })).default([]),
})
type Monitor = z.infer<typeof monitor>

/** The backup of Uptime Kuma 1, or the list of monitors that the API of Uptime Kuma 2 answers. */
export const uptimeKumaSchema = z
  .union([
    z.object({ monitorList: z.array(z.unknown()) }),
    z.array(z.unknown()).transform((monitorList) => ({ monitorList })),
    z.record(z.string(), z.unknown()).transform((all) => ({ monitorList: Object.values(all) })),
  ])
  .pipe(z.object({ monitorList: z.array(monitor).min(1, 'has no monitors') }))

/** Monitors that only wait for a push. */
const PUSH = 'push'
/** The delay of a sender that is accepted. */
const MARGIN_S = 10
const URL_START = /^https?:\/\/$/

/** A group with the groups of monitors. Monitors of a host are jobs of one device. A job is silent when as many beats are missing as
 * Uptime Kuma tries before it reports. @throws {CommandFailure} data, for groups that are below themselves */
export function fromUptimeKuma({ monitorList }: z.infer<typeof uptimeKumaSchema>): ImportedGroup {
  const groups = new Map(monitorList.filter(({ type }) => type === 'group').map((group) => [group.id, group]))
  for (const group of groups.values()) refuseCircle(group, groups)
  const below = Map.groupBy(monitorList, ({ parent }) => (groups.has(parent ?? 0) ? (parent ?? 0) : 0))
  return groupOf('Uptime Kuma', 0, below)
}

function refuseCircle(group: Monitor, groups: ReadonlyMap<number, Monitor>): void {
  const seen = new Set<Monitor>()
  for (let at: Monitor | undefined = group; at; at = groups.get(at.parent ?? 0)) {
    if (seen.has(at)) throw new CommandFailure(EXIT.data, `The group "${group.name}" is below itself.`)
    seen.add(at)
  }
}

function groupOf(name: string, id: number, below: ReadonlyMap<number, readonly Monitor[]>): ImportedGroup {
  const children = below.get(id) ?? []
  const groups = withOwnNames(children.filter(({ type }) => type === 'group')).map((group) =>
    groupOf(group.name, group.id, below),
  )
  const devices = devicesOf(children.filter(({ type }) => type !== 'group'))
  return { name, ...(devices.length > 0 && { devices }), ...(groups.length > 0 && { groups }) }
}

function devicesOf(monitors: readonly Monitor[]): readonly ImportedDevice[] {
  return [...Map.groupBy(monitors, hostOf)].map(([host, ofHost]) => ({
    name: host,
    ...(host !== PUSH && { address: host }),
    jobs: withOwnNames(ofHost.map(jobOf)),
  }))
}

function hostOf({ type, url, hostname }: Monitor): string {
  if (type === PUSH) return PUSH
  return hostname || (URL.canParse(url ?? '') && new URL(url ?? '').hostname) || type
}

function jobOf(one: Monitor): ImportedJob {
  const { name, type, url, port, interval, maxretries, retryInterval, active, description, tags } = one
  const silence = interval + (maxretries ?? 0) * (retryInterval || interval) + MARGIN_S
  return {
    name,
    ...propertiesOf({
      'uptime-kuma.type': type,
      'uptime-kuma.url': url && !URL_START.test(url) ? url : undefined,
      'uptime-kuma.port': port ? String(port) : undefined,
      'uptime-kuma.description': description ?? undefined,
      'uptime-kuma.tags': tags.map((tag) => (tag.value ? `${tag.name}=${tag.value}` : tag.name)).join(', '),
    }),
    ...(active ? {} : { stopped: true as const }),
    interval: durationOf(interval),
    parameters: {
      timeout: durationOf(silence),
      returnValue: [{ valueName: 'ping', valueUnit: 'ms' }],
    },
  }
}

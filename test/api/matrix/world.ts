import { expect } from 'bun:test'

import { ROLES } from '../../../src/context.ts'
import type { Role } from '../../../src/context.ts'
import type { Client } from '../client.ts'
import { createDevice, createGroup, createJob } from '../objects.ts'
import { good } from '../suite.ts'

/** The objects of a caller by the caller's rights on them: all rights, read alone, none. */
export const TENANTS = ['own', 'readonly', 'foreign'] as const
export type Tenant = (typeof TENANTS)[number]

/** The objects of one tenant, each with the tenant's word in its name. */
export type Ids = {
  readonly group: number
  readonly device: number
  readonly template: number
  readonly job: number
  readonly slo: number
  readonly slc: number
}

export const OBJECT_TYPES = ['group', 'device', 'job', 'slo', 'slc'] as const
export type ObjectType = (typeof OBJECT_TYPES)[number]

export type World = Readonly<Record<Tenant, Ids>> & {
  /** The group that all tenants are in, which nobody was granted anything on. */
  readonly lane: number
}

/** No answer to anybody but an administrator holds this. */
export const CANARY = 'foreign'

/** A value of a job that is breached. */
export const BAD = 99

const OTHERS: readonly Role[] = ROLES.filter((role) => role !== 'administrator')

/** Of a job that is bad at `BAD`. */
export const THRESHOLDS = { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] } }

/** Three tenants below a group; everybody but the administrator belongs to the first, and may read the second. What was
 * granted to everyone is taken away. Their service level objects are made of the foreign job as well, their containers of the
 * foreign service level object, and the object of the second is about the foreign device. What they have depends on what is foreign, and something foreign on it. */
export async function makeWorld(client: Client): Promise<World> {
  const lane = await createGroup(client, 1, { name: 'lane' })
  const foreign = await makeTenant(client, lane, CANARY)
  const own = await makeTenant(client, lane, 'own', foreign)
  const readonly = await makeTenant(client, lane, 'readonly', foreign)
  await makeDependent(client, own, foreign)
  await makeDependent(client, readonly, foreign)
  const depended = [own, readonly].flatMap((ids) => OBJECT_TYPES.map((type) => ids[type]))
  await depend(client, `device/${foreign.template}`, depended)
  const people = await good<{ id: number }>(
    client.request('POST', '/userGroups', { json: { name: 'people' } }),
  )
  const userIds = OTHERS.map((role) => client.userIds[role])
  await good(client.request('PUT', `/userGroups/${people.id}/users`, { json: { userIds } }))
  const everything = { write: true, execute: true, maintain: true }
  await grant(client, own.group, `userGroup/${people.id}`, everything)
  for (const id of userIds) await grant(client, readonly.group, `user/${id}`, {})
  const taken = await client.request('DELETE', '/groups/1/permissions/everyone/0')
  expect(taken.status).toBe(204)
  await deliver(client, foreign.job, BAD)
  await deliver(client, own.job, 1)
  await deliver(client, readonly.job, 1)
  return { lane, own, readonly, foreign }
}

async function makeTenant(client: Client, lane: number, word: string, other?: Ids): Promise<Ids> {
  const group = await createGroup(client, lane, { name: `${word} group` })
  const device = await createDevice(client, group, {
    name: `${word} device`,
    properties: [{ key: `${word} key`, value: `${word} value` }],
  })
  const template = await createDevice(client, group, { name: `${word} template`, isTemplate: true })
  const job = await createJob(client, device, {
    name: `${word} job`,
    parameters: { returnValue: [{ valueName: 'load' }] },
    thresholds: THRESHOLDS,
  })
  const { id: slo } = await good<{ id: number }>(
    client.request('POST', `/slos?parentId=${group}`, {
      json: { name: `${word} service`, deviceId: word === 'readonly' && other ? other.device : device },
    }),
  )
  await good(client.request('PUT', `/slo/${slo}/children`, { json: { items: itemsOf(job, other?.job) } }))
  const container = { name: `${word} container`, limit: 99 }
  const { id: slc } = await good<{ id: number }>(
    client.request('POST', `/slcs?parentId=${group}`, { json: container }),
  )
  await good(client.request('PUT', `/slc/${slc}/children`, { json: { items: itemsOf(slo, other?.slo) } }))
  return { group, device, template, job, slo, slc }
}

const itemsOf = (...ids: (number | undefined)[]) => ids.flatMap((id) => (id === undefined ? [] : [{ id }]))

/** Everything of a tenant depends on something foreign. */
async function makeDependent(client: Client, ids: Ids, foreign: Ids): Promise<void> {
  for (const type of OBJECT_TYPES) await depend(client, `${type}/${ids[type]}`, [foreign[type]])
}

async function depend(client: Client, object: string, dependsOn: readonly number[]): Promise<void> {
  await good(client.request('PUT', `/${object}/dependencies`, { json: { dependsOn } }))
}

async function grant(client: Client, group: number, subject: string, json: object): Promise<void> {
  await good(client.request('PUT', `/groups/${group}/permissions/${subject}`, { json }))
}

export async function deliver(client: Client, job: number, load: number): Promise<void> {
  const json = { returnValue1: load, errorCode: 0 }
  await good(client.request('POST', `/webcollector/jobs/${job}/values`, { json }))
}

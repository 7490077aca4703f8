import { expect } from 'bun:test'

import type { Client } from '../client.ts'
import { framesOf } from '../events.suite.ts'
import { createGroup } from '../objects.ts'
import { expectAnswer, good } from '../suite.ts'
import { alarmed } from './alarms.ts'
import type { World } from './world.ts'

type Change = { readonly title: string; readonly run: (client: Client, world: World) => Promise<void> }
type Body = Readonly<Record<string, unknown>> & { readonly id: number }
type Acted = { readonly items: readonly { readonly code: string | null }[] }
type Depending = { readonly dependsOn: readonly { readonly id: number }[] }

const DEPENDENCIES_MAX = 100

/** Changes by a user that does not see all of the changed object. */
export const HIDDEN: readonly Change[] = [
  {
    title: 'an object with unreadable children shows the number of readable ones',
    async run(client, { own, foreign }) {
      const slo = await newSlo(client, own.group, {})
      const slc = await newBelow(client, `/slcs?parentId=${own.group}`, { name: 'made of others', limit: 99 })
      await good(client.request('PUT', `/slo/${slo}/children`, { json: { items: [{ id: foreign.job }] } }))
      await good(client.request('PUT', `/slc/${slc}/children`, { json: { items: [{ id: foreign.slo }] } }))
      const above = await newSlo(client, own.group, {})
      await good(client.request('PUT', `/slo/${above}/children`, { json: { items: [{ id: slo }] } }))
      for (const [as, seen] of [
        ['administrator', 1],
        ['editor', 0],
      ] as const) {
        const read = (path: string) => good<Body>(client.request('GET', path, { as }))
        const hasChildren = seen > 0
        expect(await read(`/slos/${slo}`)).toMatchObject({ hasChildren, parameters: { children: seen } })
        expect(await read(`/slcs/${slc}`)).toMatchObject({ hasChildren })
        const both = [
          { id: slo, hasChildren },
          { id: slc, hasChildren },
        ].map((one) => expect.objectContaining(one) as object)
        const { items } = await read(`/group/${own.group}/children`)
        expect(items).toEqual(expect.arrayContaining(both))
        expect(await read(`/slo/${above}/children`)).toMatchObject({ items: [{ id: slo, hasChildren }] })
        const { children } = await read(`/root/tree/group/${own.group}/tree`)
        expect(children).toEqual(expect.arrayContaining(both))
      }
      await good(
        client.request('PUT', `/slo/${slo}/children?mode=merge`, { json: { items: [{ id: own.job }] } }),
      )
      expect(await good(client.request('GET', `/slos/${slo}`, { as: 'editor' }))).toMatchObject({
        hasChildren: true,
        parameters: { children: 1 },
      })
    },
  },
  {
    title: 'a list of status pages has those of objects that its reader may change',
    async run(client, { own, readonly, foreign }) {
      for (const { group } of [own, readonly, foreign])
        await good(client.request('PUT', `/group/${group}/status-page`, { json: {} }))
      const listed = async (as: 'administrator' | 'editor') => {
        const { items } = await good<{ items: readonly { object: { id: number } }[] }>(
          client.request('GET', '/status-pages', { as }),
        )
        const ids = items.map(({ object }) => object.id)
        return [own, readonly, foreign].map(({ group }) => ids.includes(group))
      }
      expect(await listed('administrator')).toEqual([true, true, true])
      expect(await listed('editor')).toEqual([true, false, false])
      for (const { group } of [own, readonly, foreign])
        await good(client.request('DELETE', `/group/${group}/status-page`))
    },
  },
  {
    title: 'one action on several jobs answers each by the rights on it',
    async run(client, { own, readonly, foreign }) {
      const ids = [foreign.job, own.job, readonly.job]
      const act = (action: string) =>
        good<Acted>(client.request('POST', '/jobs/actions', { as: 'editor', json: { action, ids } }))
      const codes = ({ items }: Acted) => items.map(({ code }) => code)
      expect(codes(await act('stop'))).toEqual(['not_found', null, 'forbidden'])
      const stopped = await Promise.all(
        ids.map(async (id) => (await good<Body>(client.request('GET', `/jobs/${id}`)))['stopped']),
      )
      expect(stopped).toEqual([false, true, false])
      expect(codes(await act('start'))).toEqual(['not_found', null, 'forbidden'])
    },
  },
  {
    title: 'unreadable dependencies stay, and count',
    async run(client, { own, foreign }) {
      const group = await createGroup(client, own.group, { name: 'depending' })
      const some = await Promise.all(
        Array.from({ length: DEPENDENCIES_MAX }, (_, index) =>
          createGroup(client, group, { name: `${index}` }),
        ),
      )
      const put = (dependsOn: readonly number[], as: 'administrator' | 'editor') =>
        client.request('PUT', `/groups/${group}/dependencies`, { json: { dependsOn }, as })
      const seenBy = async (as: 'administrator' | 'editor') => {
        const path = `/groups/${group}/dependencies`
        return (await good<Depending>(client.request('GET', path, { as }))).dependsOn.map(({ id }) => id)
      }
      expectAnswer(await put([foreign.device, own.job], 'administrator'), { answers: 200 })
      expectAnswer(await put([own.device], 'editor'), { answers: 200 })
      expect(await seenBy('editor')).toEqual([own.device])
      expect(await seenBy('administrator')).toEqual([own.device, foreign.device].sort((a, b) => a - b))
      expectAnswer(await put(some, 'editor'), { answers: 'invalid', pointers: ['/dependsOn'] })
      expectAnswer(await put(some.slice(1), 'editor'), { answers: 200 })
      expectAnswer(await put([], 'editor'), { answers: 200 })
      expect(await seenBy('administrator')).toEqual([foreign.device])
      expectAnswer(await put(some, 'administrator'), { answers: 200 })
      expect(await seenBy('administrator')).toEqual(some.toSorted((a, b) => a - b))
      await good(client.request('DELETE', `/groups/${group}?recursive=true`))
    },
  },
  {
    title: 'a service level object with an unreadable device and filter can be sent back',
    async run(client, { own, foreign }) {
      const conditions = [{ item: 'name', operator: 'eq', expression: 'nothing' }]
      const filterOn = (groupId: number) => ({ groupId, filterDefinition: { conditions } })
      const slo = await newSlo(client, own.group, {
        deviceId: foreign.device,
        childrenFilter: filterOn(foreign.group),
      })
      const path = `/slos/${slo}`
      const read = await good<Body>(client.request('GET', path, { as: 'editor' }))
      expect(read).toMatchObject({ deviceId: foreign.device, deviceName: '' })
      const put = (change: object) =>
        client.request('PUT', path, { json: { ...read, ...change }, as: 'editor' })
      expectAnswer(await put({ name: 'sent back' }), { answers: 200 })
      expect(await good(client.request('GET', path))).toMatchObject({
        name: 'sent back',
        deviceId: foreign.device,
        childrenFilter: { groupId: foreign.group },
      })
      expectAnswer(await put({ deviceId: foreign.template }), { answers: 'invalid', pointers: ['/deviceId'] })
      const wrong = { childrenFilter: filterOn(client.userIds.administrator + 1_000_000) }
      expectAnswer(await put(wrong), { answers: 'invalid', pointers: ['/childrenFilter/groupId'] })
      expectAnswer(await put({ deviceId: own.device, childrenFilter: filterOn(own.group) }), { answers: 200 })
      expectAnswer(await put({}), {
        answers: 'invalid',
        pointers: ['/deviceId'],
      })
    },
  },
  {
    title: 'lists of a type have the readable objects only',
    async run(client, { own, readonly, foreign }) {
      for (const type of ['group', 'device', 'job', 'slo', 'slc'] as const) {
        const list = (as: 'administrator' | 'dashboard_viewer') =>
          good<{ items: readonly Body[] }>(client.request('GET', `/${type}s`, { as }))
        const ids = async (as: 'administrator' | 'dashboard_viewer') =>
          (await list(as)).items.map(({ id }) => id)
        const tenants = [own[type], readonly[type], foreign[type]]
        const [all, seen] = [await ids('administrator'), await ids('dashboard_viewer')]
        expect(tenants.map((id) => all.includes(id))).toEqual([true, true, true])
        expect(tenants.map((id) => seen.includes(id))).toEqual([true, true, false])
      }
    },
  },
  {
    title: 'lists of state changes have readable objects only, without unreadable causes',
    async run(client, { lane, own, foreign }) {
      type Listed = { readonly object: Body; readonly cause: Body | null }
      const changes = async (as: 'administrator' | 'editor') => {
        const path = `/group/${lane}/state-changes?limit=200`
        const { items } = await good<{ items: readonly Listed[] }>(client.request('GET', path, { as }))
        return items
      }
      const [all, seen] = [await changes('administrator'), await changes('editor')]
      const ofObject = (items: readonly Listed[], id: number) =>
        items.filter(({ object }) => object.id === id)
      for (const id of [lane, foreign.group, foreign.device, foreign.job]) {
        expect(ofObject(all, id)).not.toEqual([])
        expect(ofObject(seen, id)).toEqual([])
      }
      const causes = (items: readonly Listed[]) => ofObject(items, own.slo).map(({ cause }) => cause?.id)
      expect(causes(all)).toContain(foreign.job)
      expect(causes(seen)).toHaveLength(causes(all).length)
      expect(causes(seen)).not.toContain(foreign.job)
    },
  },
  {
    title: 'the calendar of a group has the revaluations of readable objects only',
    async run(client, { lane, own, readonly, foreign }) {
      const json = { begin: '2041-01-01T00:00:00Z', end: '2041-01-02T00:00:00Z' }
      const devices = [own.device, readonly.device, foreign.device]
      for (const id of devices) await good(client.request('POST', `/devices/${id}/revaluations`, { json }))
      const seen = async (as: 'administrator' | 'editor') => {
        const path = `/group/${lane}/revaluation-calendar?begin=2041-01-01T00:00:00Z`
        const { items } = await good<{ items: readonly { object: Body }[] }>(
          client.request('GET', path, { as }),
        )
        return items.map(({ object }) => object.id)
      }
      expect(await seen('administrator')).toEqual(devices)
      expect(await seen('editor')).toEqual([own.device, readonly.device])
    },
  },
  {
    title: 'changes of unreadable objects are not published',
    async run(client, world) {
      const listen = (lastId: string) =>
        client.request('GET', '/events?kind=state&once=true', {
          as: 'editor',
          headers: lastId === '' ? {} : { 'last-event-id': lastId },
        })
      const [ready] = framesOf((await listen('')).text)
      const { bad: unheard } = await alarmed(client, world, 'foreign')
      const { bad: heard } = await alarmed(client, world, 'own')
      let told: readonly unknown[] = []
      for (let tried = 0; tried < 200 && !told.includes(heard); tried++) {
        await Bun.sleep(20)
        told = framesOf((await listen(ready?.id ?? '')).text).map(({ data }) => data['objectId'])
      }
      expect(told).toContain(heard)
      for (const id of [unheard, world.foreign.device, world.foreign.group]) expect(told).not.toContain(id)
    },
  },
  {
    title: 'an action on a filter applies to alarms of readable objects only',
    async run(client, world) {
      const [foreign, own] = [await alarmed(client, world, 'foreign'), await alarmed(client, world, 'own')]
      const conditions = [foreign, own].map(({ bad }) => ({
        item: 'objectId',
        operator: 'eq',
        expression: String(bad),
      }))
      const deed = { action: 'comment', text: 'x', filter: { filterDefinition: { mode: 'or', conditions } } }
      const { items } = await good<{ items: readonly Body[] }>(
        client.request('POST', '/alarms/actions', { json: deed, as: 'editor' }),
      )
      expect(items).toMatchObject([{ id: own.alarm, status: 'done' }])
    },
  },
  {
    title: 'an alarm can be assigned only to users who may read its object',
    async run(client, world) {
      const assign = async (tenant: 'own' | 'foreign') => {
        const { alarm } = await alarmed(client, world, tenant)
        return client.request('POST', `/alarms/${alarm}/assign`, { json: { userId: client.userIds.editor } })
      }
      expectAnswer(await assign('own'), { answers: 200 })
      expectAnswer(await assign('foreign'), { answers: 'invalid', pointers: ['/userId'] })
    },
  },
]

function newSlo(client: Client, group: number, more: object): Promise<number> {
  return newBelow(client, `/slos?parentId=${group}`, { name: 'made of others', ...more })
}

async function newBelow(client: Client, path: string, json: object): Promise<number> {
  return (await good<Body>(client.request('POST', path, { json }))).id
}

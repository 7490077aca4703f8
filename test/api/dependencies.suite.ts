import { expect } from 'bun:test'

import type { Body, Client } from './client.ts'
import { createDevice, createGroup, createJob, refusal } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

const ROOT = 1

const stage = once(async (client: Client) => {
  const group = await createGroup(client, ROOT, { name: 'dependencies' })
  const router = await createDevice(client, group, { name: 'router' })
  const server = await createDevice(client, group, { name: 'server' })
  const job = await createJob(client, server, { name: 'ping' })
  return { group, router, server, job }
})

const PUT = 'PUT /devices/{server}/dependencies'
const refused = (dependsOn: unknown, ...pointers: string[]): Row => ({
  title: `depending on ${JSON.stringify(dependsOn)?.slice(0, 40)}`,
  call: PUT,
  json: { dependsOn },
  answers: 'invalid',
  pointers,
})

const refusals: readonly Row[] = [
  {
    title: 'a request without credentials',
    call: 'GET /devices/{server}/dependencies',
    as: null,
    answers: 'unauthenticated',
  },
  {
    title: 'a request without credentials',
    call: PUT,
    as: null,
    json: { dependsOn: [] },
    answers: 'unauthenticated',
  },
  { title: 'a viewer', call: PUT, as: 'dashboard_viewer', json: { dependsOn: [] }, answers: 'forbidden' },
  { title: 'a collector', call: PUT, as: 'collector', json: { dependsOn: [] }, answers: 'forbidden' },
  {
    title: 'a viewer reads',
    call: 'GET /devices/{server}/dependencies',
    as: 'dashboard_viewer',
    answers: 200,
  },
  ...['devices/999999', 'devices/{job}', 'groups/{server}', 'jobs/0'].flatMap((path): Row[] => [
    { title: 'none', call: `GET /${path}/dependencies`, answers: 'not_found' },
    { title: 'none', call: `PUT /${path}/dependencies`, json: { dependsOn: [] }, answers: 'not_found' },
  ]),
  refused(undefined, '/dependsOn'),
  refused(['a'], '/dependsOn/0'),
  refused([0], '/dependsOn/0'),
  refused([2, 3, 2], '/dependsOn/2'),
  refused(
    Array.from({ length: 101 }, (_, index) => index + 1),
    '/dependsOn',
  ),
  {
    title: 'two unknown objects',
    call: PUT,
    json: { dependsOn: [1, 999_998, 999_999] },
    answers: 'not_found',
    pointers: ['/dependsOn/1', '/dependsOn/2'],
  },
]

type Listed = { readonly dependsOn: Body[]; readonly dependents: Body[]; readonly dependentsTotal: number }

const listed = (client: Client, path: string) => good<Listed>(client.request('GET', `/${path}/dependencies`))
const put = (client: Client, path: string, ...dependsOn: number[]) =>
  client.request('PUT', `/${path}/dependencies`, { json: { dependsOn } })
const ids = (objects: readonly Body[]) => objects.map(({ id }) => id)

const scenarios: readonly Scenario[] = [
  {
    title:
      'dependencies of every type of object are set, shown from both ends, replaced, and deleted with either object',
    decidedAbovePorts: 'dependencies',
    async run(client) {
      const { group, router, server, job } = await stage(client)
      const slo = await good<{ id: number }>(
        client.request('POST', `/slos?parentType=group&parentId=${group}`, { json: { name: 'service' } }),
      )
      const said = await good<Listed>(put(client, `devices/${server}`, router))
      expect(said).toEqual({
        dependsOn: [{ id: router, type: 'device', name: 'router', state: 'undefined' }],
        dependents: [],
        dependentsTotal: 0,
      })
      for (const path of [`groups/${group}`, `slo/${slo.id}`, `job/${job}`])
        await good(put(client, path, router))
      expect(await listed(client, `devices/${router}`)).toMatchObject({
        dependsOn: [],
        dependents: [{ id: group }, { id: server }, { id: job }, { id: slo.id }],
        dependentsTotal: 4,
      })
      await good(put(client, `slos/${slo.id}`, server, job))
      expect(ids((await listed(client, `slos/${slo.id}`)).dependsOn)).toEqual([server, job])
      await good(put(client, `groups/${group}`))
      expect((await listed(client, `groups/${group}`)).dependsOn).toEqual([])
      await good(client.request('DELETE', `/jobs/${job}`))
      expect(ids((await listed(client, `slos/${slo.id}`)).dependsOn)).toEqual([server])
      await good(client.request('DELETE', `/slos/${slo.id}`))
      expect((await listed(client, `devices/${server}`)).dependents).toEqual([])
    },
  },
  {
    title: 'objects never depend on themselves, even indirectly',
    decidedAbovePorts: 'dependencies',
    async run(client) {
      const { group } = await stage(client)
      const [a = 0, b = 0, c = 0] = await Promise.all(
        ['a', 'b', 'c'].map((name) => createDevice(client, group, { name })),
      )
      const cycle = [409, 'cycle', '/dependsOn/0']
      expect(refusal(await put(client, `devices/${a}`, a))).toEqual(cycle)
      await good(put(client, `devices/${a}`, b))
      await good(put(client, `devices/${b}`, c))
      expect(refusal(await put(client, `devices/${c}`, a))).toEqual(cycle)
      expect(refusal(await put(client, `devices/${b}`, a))).toEqual(cycle)
      await good(put(client, `devices/${a}`, c, b))
      await good(put(client, `devices/${a}`))
      await good(put(client, `devices/${c}`, a))
    },
  },
  {
    title: 'a copy depends on the dependencies of its original, its jobs on each other and on the copy',
    decidedAbovePorts: 'dependencies',
    async run(client) {
      const { group, router } = await stage(client)
      const device = await createDevice(client, group, { name: 'original' })
      const first = await createJob(client, device, { name: 'first' })
      const second = await createJob(client, device, { name: 'second' })
      await good(put(client, `devices/${device}`, router))
      await good(put(client, `jobs/${first}`, device))
      await good(put(client, `jobs/${second}`, first, router))
      const copy = await good<{ id: number }>(
        client.request('POST', `/devices/${device}/copy?destinationName=copy&destinationType=none`),
      )
      const { items } = await good<{ items: { id: number; name: string }[] }>(
        client.request('GET', `/devices/${copy.id}/children`),
      )
      const named = new Map(items.map(({ id, name }) => [name, id]))
      expect(ids((await listed(client, `devices/${copy.id}`)).dependsOn)).toEqual([router])
      expect(ids((await listed(client, `jobs/${named.get('first')}`)).dependsOn)).toEqual([copy.id])
      expect(ids((await listed(client, `jobs/${named.get('second')}`)).dependsOn)).toEqual([
        router,
        named.get('first'),
      ])
      expect(ids((await listed(client, `devices/${device}`)).dependents)).toEqual([first])
      const slo = await good<{ id: number }>(
        client.request('POST', `/slos?parentType=group&parentId=${group}`, { json: { name: 'slo' } }),
      )
      await good(put(client, `slos/${slo.id}`, router))
      const twin = await good<{ id: number }>(
        client.request('POST', `/slos/${slo.id}/copy?destinationName=copy&destinationType=none`),
      )
      expect(ids((await listed(client, `slos/${twin.id}`)).dependsOn)).toEqual([router])
    },
  },
  {
    title: 'an object has at most 100 dependencies, and any number of dependents',
    decidedAbovePorts: 'dependencies',
    async run(client) {
      const group = await createGroup(client, ROOT, { name: 'many' })
      const some = await Promise.all(
        Array.from({ length: 100 }, (_, index) => createGroup(client, group, { name: `${index}` })),
      )
      const said = await good<Listed>(put(client, `groups/${group}`, ...some))
      expect(said.dependsOn).toHaveLength(100)
      expect((await listed(client, `groups/${some[0]}`)).dependentsTotal).toBe(1)
      await good(client.request('DELETE', `/groups/${group}?recursive=true`))
    },
  },
]

export const dependenciesSuite: Suite = {
  name: 'dependencies',
  scenarios: [...table(stage, refusals), ...scenarios],
}

import { expect } from 'bun:test'

import type { Client } from './client.ts'
import { createDevice, createGroup, createJob } from './objects.ts'
import { good } from './suite.ts'
import type { Scenario, Suite } from './suite.ts'

type Shown = {
  readonly id: number
  readonly name: string
  readonly state: string
  readonly children?: readonly Shown[]
}

const ROOT = 1
const PARAMETERS = { returnValue: [{ valueName: 'load' }] }
const THRESHOLDS = {
  major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] },
  minor: { conditions: [{ key: 'returnValue1', operator: '>', value: 50 }] },
}

/** Groups one in the other with a device in the innermost, and its jobs. */
async function plant(client: Client, name: string, jobs: number) {
  const outer = await createGroup(client, ROOT, { name })
  const inner = await createGroup(client, outer, { name: `${name}, inside` })
  const device = await createDevice(client, inner, { name: `device of ${name}` })
  const body = { parameters: PARAMETERS, thresholds: THRESHOLDS }
  const ids: number[] = []
  for (let index = 0; index < jobs; index++)
    ids.push(await createJob(client, device, { ...body, name: `job ${index}` }))
  return { outer, inner, device, jobs: ids }
}

async function deliver(client: Client, job: number | undefined, load: number): Promise<void> {
  const json = { returnValue1: load, errorCode: 0 }
  await good(client.request('POST', `/webcollector/jobs/${job}/values`, { json }))
}

/** The states of groups and devices from the outermost group down. */
async function statesBelow(client: Client, group: number): Promise<string[]> {
  const top = await good<Shown>(
    client.request('GET', `/root/tree/group/${group}/tree?depth=all&types=group,device`),
  )
  const listed = ({ state, children = [] }: Shown): string[] => [state, ...children.flatMap(listed)]
  return listed(top)
}

const scenarios: readonly Scenario[] = [
  {
    title: 'a device and the groups above it have the state of their worst job, and recover with it',
    decidedAbovePorts: 'states of objects',
    async run(client) {
      const { outer, jobs } = await plant(client, 'worst', 2)
      expect(await statesBelow(client, outer)).toEqual(['ok', 'ok', 'ok'])
      await deliver(client, jobs[0], 60)
      expect(await statesBelow(client, outer)).toEqual(['minor', 'minor', 'minor'])
      await deliver(client, jobs[1], 95)
      expect(await statesBelow(client, outer)).toEqual(['major', 'major', 'major'])
      await deliver(client, jobs[1], 1)
      expect(await statesBelow(client, outer)).toEqual(['minor', 'minor', 'minor'])
      await deliver(client, jobs[0], 1)
      expect(await statesBelow(client, outer)).toEqual(['ok', 'ok', 'ok'])
    },
  },
  {
    title: 'an empty group is undefined, and so is a device whose jobs are all stopped',
    decidedAbovePorts: 'states of objects',
    async run(client) {
      const { outer, device } = await plant(client, 'silent', 0)
      expect(await statesBelow(client, outer)).toEqual(['undefined', 'undefined', 'undefined'])
      await createJob(client, device, { name: 'stopped', stopped: true })
      expect(await statesBelow(client, outer)).toEqual(['undefined', 'undefined', 'undefined'])
    },
  },
  {
    title: 'a deleted bad job, and a moved device, leave the objects above with the state of the others',
    decidedAbovePorts: 'states of objects',
    async run(client) {
      const { outer, inner, device, jobs } = await plant(client, 'leaving', 2)
      await deliver(client, jobs[0], 60)
      await deliver(client, jobs[1], 95)
      await good(client.request('DELETE', `/jobs/${jobs[1]}`))
      expect(await statesBelow(client, outer)).toEqual(['minor', 'minor', 'minor'])
      const target = await createGroup(client, ROOT, { name: 'target' })
      const body = await good(client.request('GET', `/devices/${device}`))
      await good(client.request('PUT', `/devices/${device}`, { json: { ...body, parentId: target } }))
      expect(await statesBelow(client, outer)).toEqual(['undefined', 'undefined'])
      expect(await statesBelow(client, target)).toEqual(['minor', 'minor'])
      await good(client.request('DELETE', `/groups/${target}?recursive=true`))
      await createJob(client, await createDevice(client, inner, { name: 'new' }), { name: 'well' })
      expect(await statesBelow(client, outer)).toEqual(['ok', 'ok', 'ok'])
    },
  },
  {
    title: 'none of many simultaneous changes is lost',
    async run(client) {
      const { outer, jobs } = await plant(client, 'at once', 24)
      for (const [load, state] of [
        [95, 'major'],
        [60, 'minor'],
        [1, 'ok'],
      ] as const) {
        await Promise.all(jobs.map((job) => deliver(client, job, load)))
        expect(await statesBelow(client, outer)).toEqual([state, state, state])
      }
    },
  },
  {
    title: 'a copied device comes with the states of its jobs',
    decidedAbovePorts: 'states of objects',
    async run(client) {
      const { outer, inner, device } = await plant(client, 'copied', 1)
      const query = `destinationName=copy&destinationType=none&parentType=group&parentId=${inner}`
      await good(client.request('POST', `/devices/${device}/copy?${query}`))
      expect(await statesBelow(client, outer)).toEqual(['ok', 'ok', 'ok', 'ok'])
    },
  },
]

export const statesSuite: Suite = { name: 'states', scenarios }

import { expect } from 'bun:test'

import type { Answer, Body, Client } from './client.ts'
import type { Scenario } from './suite.ts'

/** Creates an object that a suite stands on, and answers its id. */
async function create(client: Client, path: string, json: Body): Promise<number> {
  const answer = await client.request('POST', path, { json })
  expect(answer.status, answer.text).toBe(201)
  return Number(answer.body['id'])
}

export const createGroup = (client: Client, parentId: number, json: Body) =>
  create(client, `/groups?parentType=group&parentId=${parentId}`, json)

export const createDevice = (client: Client, parentId: number, json: Body) =>
  create(client, `/devices?parentType=group&parentId=${parentId}`, json)

export const createJob = (client: Client, parentId: number, json: Body) =>
  create(client, `/jobs?parentType=device&parentId=${parentId}`, json)

export const createDashboard = (client: Client) =>
  create(client, '/dashboards', { name: 'a dashboard of a test' })

/** The client's `request`, which can be taken apart from it. */
export const requestOf =
  (client: Client): Client['request'] =>
  (...call) =>
    client.request(...call)

/** The refusal's code and the pointers of its faults. */
export function refusal({ status, body }: Answer): unknown[] {
  const errors = (body['errors'] ?? []) as { pointer: string }[]
  return [status, body['code'], ...errors.map(({ pointer }) => pointer)]
}

/** The names of the items of a list. */
export function namesOf({ body }: Answer): string[] {
  return ((body['items'] ?? []) as { name: string }[]).map(({ name }) => name)
}

/** Where the next page of a list is; null on the last. */
export function nextOf({ headers }: Answer): string | null {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null
}

/** Collects scenarios that stand on one stage, which is prepared once for each client. */
export function claims<Stage>(stage: (client: Client) => Promise<Stage>) {
  const scenarios: Scenario[] = []
  const claim = (
    title: string,
    run: (names: Stage, client: Client) => Promise<void>,
    decidedAbovePorts?: string,
  ) => {
    scenarios.push({ title, decidedAbovePorts, run: async (client) => run(await stage(client), client) })
  }
  return { scenarios, claim }
}

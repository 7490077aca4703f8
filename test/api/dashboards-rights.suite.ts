import { expect } from 'bun:test'

import type { Role } from '../../src/context.ts'
import type { Answer, Client, Request } from './client.ts'
import { of, readReviewed } from './matrix/run.ts'
import { call, good } from './suite.ts'
import type { Names, Scenario, Suite } from './suite.ts'

type Made = { readonly id: number }
type Right = 'read' | 'write' | 'execute'
type Seen = 'hidden' | 'refused' | 'passed'
/** A route of one dashboard or of one group, and the right on it that the route needs. What the route does after that fails,
 * changes nothing, or is of no account for the next call. */
type Case = readonly [call: string, right: Right, request?: Request]

/** A version that no dashboard has. */
const OLD = { 'if-match': '"999"' }
const NO_ONE = { items: [{ subjectType: 'user', subjectId: 999_999 }] }

const OF_DASHBOARD: readonly Case[] = [
  ['GET /dashboards/{id}', 'read'],
  ['GET /dashboards/{id}/nested', 'read'],
  ['GET /dashboards/{id}/data', 'read'],
  ['POST /dashboards/{id}/data', 'read', { json: {} }],
  ['GET /dashboards/{id}/dependents', 'read'],
  ['GET /dashboards/{id}/versions', 'read'],
  ['GET /dashboards/{id}/versions/{number}', 'read'],
  ['GET /dashboards/{id}/versions/{number}/diff?to=1', 'read'],
  ['GET /dashboards/{id}/widgets/{widget}/svg', 'read'],
  ['GET /dashboards/by-url/{urlName}', 'read'],
  ['POST /dashboards/{id}/snapshot', 'read', { json: {} }],
  ['POST /dashboards/{id}/copy', 'read', { json: { groupId: null } }],
  ['POST /dashboards/{id}/mail', 'read', { json: { recipientIds: [999_999] } }],
  ['POST /dashboards/{id}/widgets/{widget}/run', 'execute', { json: {} }],
  ['PUT /dashboards/{id}', 'write', { json: { name: 'x' }, headers: OLD }],
  ['PATCH /dashboards/{id}', 'write', { json: { description: 'x' } }],
  ['DELETE /dashboards/{id}', 'write', { headers: OLD }],
  ['POST /dashboards/{id}/move', 'write', { json: { groupId: null }, headers: OLD }],
  ['GET /dashboards/{id}/move', 'write'],
  ['POST /dashboards/{id}/detach', 'write'],
  ['POST /dashboards/{id}/translate', 'write', { json: { targets: ['xx'] } }],
  ['POST /dashboards/{id}/versions/{number}/restore', 'write'],
  ['GET /dashboards/{id}/grants', 'write'],
  ['PUT /dashboards/{id}/grants', 'write', { json: NO_ONE }],
  ['GET /dashboards/{id}/public', 'write'],
  ['PUT /dashboards/{id}/public', 'write', { json: {} }],
  ['POST /dashboards/{id}/public/move', 'write'],
  ['DELETE /dashboards/{id}/public', 'write'],
]

const OF_GROUP: readonly Case[] = [
  ['GET /dashboards/groups/{id}', 'read'],
  ['PUT /dashboards/groups/{id}', 'write', { json: { name: 'x' }, headers: OLD }],
  ['PATCH /dashboards/groups/{id}', 'write', { json: { position: 1 } }],
  ['DELETE /dashboards/groups/{id}', 'write', { headers: OLD }],
  ['GET /dashboards/groups/{id}/grants', 'write'],
  ['PUT /dashboards/groups/{id}/grants', 'write', { json: NO_ONE }],
]

/** Routes with a name in their path whose answers follow from other rights. */
const OTHERS: Readonly<Record<string, string>> = {
  'PUT /dashboards/by-url/:urlName': 'it creates what does not exist',
  'GET /dashboards/snapshots/:snapshot': 'a snapshot belongs to its maker',
  'DELETE /dashboards/snapshots/:snapshot': 'a snapshot belongs to its maker',
}

const GRANTS = ['none', 'read', 'execute', 'write'] as const
type Grant = (typeof GRANTS)[number]
const ROLES = ['editor', 'dashboard_viewer'] as const
/** Where the right is granted: on the dashboard itself, or on the group around its group. */
const PLACES = ['the dashboard', 'the group around its group'] as const
type Place = (typeof PLACES)[number]

const definition = {
  widgets: { words: { kind: 'text', markdown: 'x' } },
  pages: [{ id: 'main', items: [{ widget: 'words', x: 0, y: 0, w: 1, h: 1 }] }],
}

const makeGroup = (client: Client, name: string, parentId: number | null) =>
  good<Made>(client.request('POST', '/dashboards/groups', { json: { name, parentId } }))

/** A dashboard in a group within another, with grants of a right to users of all roles. */
async function makeGranted(client: Client, grant: Grant, place: Place): Promise<Names> {
  const title = `${grant} on ${place}`
  const outer = await makeGroup(client, title, null)
  const inner = await makeGroup(client, title, outer.id)
  const json = { name: title, groupId: inner.id, definition }
  const board = await good<Made & { readonly urlName: string }>(
    client.request('POST', '/dashboards', { json }),
  )
  const path = place === 'the dashboard' ? `/dashboards/${board.id}` : `/dashboards/groups/${outer.id}`
  const rights = { write: grant === 'write', execute: grant === 'execute' }
  const items = ROLES.map((role) => ({ subjectType: 'user', subjectId: client.userIds[role], ...rights }))
  if (grant !== 'none') await good(client.request('PUT', `${path}/grants`, { json: { items } }))
  return { id: board.id, urlName: board.urlName, group: inner.id, number: 1, widget: 'words' }
}

/** What an answer lets a caller see of a dashboard or a group that is there. */
function seenIn({ status, body }: Answer): Seen {
  if (status === 403) return 'refused'
  const isHidden = status === 404 && /^There is no such (?:dashboard|group)/.test(String(body['detail']))
  return isHidden ? 'hidden' : 'passed'
}

/** A role that may not call a route learns nothing of the dashboard. */
function expectedOf([line, right]: Case, grant: Grant, role: Role): Seen {
  if (!of(reviewed, routeOf(line)).may.has(role)) return 'refused'
  if (grant === 'none') return 'hidden'
  return right === 'read' || right === grant ? 'passed' : 'refused'
}

/** The differences between what each role sees and what its grants let it see. */
async function differences(client: Client, grant: Grant, place: Place): Promise<string[]> {
  const names = await makeGranted(client, grant, place)
  const ofGroup = {
    names: { ...names, id: names['group'] ?? 0 },
    grant: place === 'the dashboard' ? 'none' : grant,
  }
  const calls = [
    ...OF_DASHBOARD.map((one) => ({ one, names, grant })),
    ...OF_GROUP.map((one) => ({ one, ...ofGroup })),
  ]
  const wrong: string[] = []
  for (const as of ROLES)
    for (const asked of calls) {
      const [line, , request] = asked.one
      const answer = await call(client, line, { ...request, names: asked.names, as })
      const [seen, expected] = [seenIn(answer), expectedOf(asked.one, asked.grant, as)]
      if (answer.status >= 500 || seen !== expected)
        wrong.push(`${as}, ${line}: ${answer.status}, ${seen} instead of ${expected}`)
    }
  return wrong
}

const routeOf = (line: string) => line.replace(/\?.*/, '').replaceAll(/\{(\w+)\}/g, ':$1')
const reviewed = await readReviewed()

const scenarios: readonly Scenario[] = [
  {
    title: 'each route of one dashboard or of one group is in the matrix',
    decidedAbovePorts: 'routes in the matrix',
    run() {
      const known = new Set([...OF_DASHBOARD, ...OF_GROUP].map(([line]) => routeOf(line)))
      const own = [...reviewed.keys()].filter((route) => /^\w+ \/dashboards\/.*:/.test(route))
      expect(own.filter((route) => !known.has(route)).toSorted()).toEqual(Object.keys(OTHERS).toSorted())
      return Promise.resolve()
    },
  },
  ...PLACES.flatMap((place) =>
    GRANTS.map((grant): Scenario => ({
      title: `the right ${grant}, granted on ${place}`,
      decidedAbovePorts: 'rights on dashboards',
      async run(client) {
        expect(await differences(client, grant, place)).toEqual([])
      },
    })),
  ),
]

export const dashboardsRightsSuite: Suite = { name: 'rights on dashboards', scenarios }

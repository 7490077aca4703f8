import type { Client } from '../api/client.ts'
import { good } from '../api/suite.ts'

type Made = { readonly id: number }
type List = { readonly items: readonly Made[] }

const TRIES = 200
const PAUSE_MS = 200
const A_MONTH_MS = 30 * 86_400_000

/** The screens of the console, in whose paths `{job}` stands for an id. */
export const SCREENS = [
  '',
  'alarms',
  'alarms/{alarm}',
  'objects',
  'group/{group}',
  'device/{device}',
  'job/{job}?tab=values',
  'job/{job}?tab=deliveries',
  'job/{job}?tab=send',
  'job/{job}?tab=configuration',
  'job/{job}?tab=outages',
  'slos',
  'slo/{slo}',
  'slo/{slo}?tab=configuration',
  'slo/{slo}?tab=page',
  'slc/{slc}',
  'slc/{slc}?tab=configuration',
  'status-pages',
  'status-pages/group/{group}',
  'maintenance',
  'maintenance?view=week',
  'maintenance?view=agenda',
  'scripts',
  'scripts/{script}',
  'scripts/{script}?tab=files',
  'scripts/{script}?tab=schedules',
  'scripts/{script}?tab=webhooks',
  'scripts/{script}?tab=settings',
  'scripts/{script}/jobs/{run}',
  'data',
  'data/new/import',
  'queries',
  'queries/new',
  'notifications',
  'notifications/links',
  'notifications/messages',
  'content',
  'content/styles',
  'content/translations',
  'users',
  'users/groups',
  'users/explain',
  'users/user/{user}',
  'settings',
  'settings/backups',
  'settings/runners',
  'settings/health',
  'settings/demo',
  'audit',
  'account',
  'keys',
  'first-value',
  'wall',
] as const

/** The path of a screen with ids. */
export type PathOf = (path: string) => string

/** Makes the demo plant, and rows for the tables of all other screens: each screen has content and its actions. */
export async function makePlant(client: Client): Promise<PathOf> {
  const post = (path: string, json: object) => good<Made>(client.request('POST', path, { json }))
  await post('/demo', { seed: 'wadden' })
  const state = async () => (await client.request('GET', '/demo')).body['state']
  for (let tried = 0; (await state()) !== 'running' && tried < TRIES; tried++) await Bun.sleep(PAUSE_MS)
  const first = async (path: string) => (await good<List>(client.request('GET', path))).items[0]?.id
  const [job, device, group, alarm, slo, slc] = await Promise.all(
    ['jobs', 'devices', 'groups', 'alarms', 'slos', 'slcs'].map((objects) => first(`/${objects}?limit=1`)),
  )
  const [script] = (await good<readonly Made[]>(client.request('GET', '/scripts'))).map(({ id }) => id)
  const user = client.userIds.editor
  const expiresAt = new Date(Date.now() + A_MONTH_MS).toISOString()
  const userGroup = await post('/userGroups', { name: 'Night watch of the locks' })
  await good(client.request('PUT', `/userGroups/${userGroup.id}/users`, { json: { userIds: [user] } }))
  await post('/session/personal-tokens', { name: 'Laptop of the control room', scopes: ['read'], expiresAt })
  await post('/alarmrecipients', { name: 'Operations on duty', type: 'user', target: { userId: user } })
  await post(`/scripts/${script}/webhookTokens`, { name: 'Tide table of the harbour office' })
  await good(client.request('PUT', `/group/${group}/status-page`, { json: { title: 'Wadden locks' } }))
  await good(
    client.request('POST', '/files/site-plan.txt', {
      text: 'Lock 1: north',
      headers: { 'content-type': 'text/plain' },
    }),
  )
  const run = await post(`/scripts/${script}/run`, {})
  const ids: Readonly<Record<string, unknown>> = {
    job,
    device,
    group,
    alarm,
    slo,
    slc,
    script,
    user,
    run: run.id,
  }
  return (path) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))
}

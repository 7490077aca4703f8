import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from 'playwright-core'

import type { Role } from '../../../src/context.ts'
import type { Client } from '../../api/client.ts'
import { runnerOf, stageOf } from '../../api/runs-stage.ts'
import { good } from '../../api/suite.ts'
import { faultsOf } from '../accessibility.ts'
import { codeOf, stepAt } from '../../../src/access/session/mfa/totp.ts'
import { fromBase32 } from '../../access/base32.ts'
import { person } from '../../access/ldap-stage.ts'
import { PASSWORD } from '../../api/client.ts'
import { startSlapd } from '../../hosts/slapd.ts'
import { craft } from '../../packages/crafted.ts'
import { must, RUNNER_TOKEN } from '../../runs/fake-runner.ts'
import { TOO_WIDE, WIDEST } from '../layout.ts'
import { until } from '../../until.ts'
import { IS_COMPLETE } from '../browser.ts'
import { definitionOf, makeThings } from '../boards.ts'
import { Reads, UNCHANGED } from '../failing-reads.ts'
import type { Mode } from '../failing-reads.ts'
import { leaveResults, makeGuests } from '../guests.ts'
import { DATA_SCREENS, makeData, makePlant, SCREENS } from '../plant.ts'
import type { PathOf } from '../plant.ts'
import { onBun } from '../stage.ts'
import type { Stage } from '../stage.ts'

/** What is done after a screen has opened: a button is pressed, which the key of its text or a selector names, or a key;
 * a field is filled, a choice is made or a file is chosen; or objects of the tree are marked. */
type Press =
  | { readonly text: string }
  | { readonly keys: string }
  | { readonly css: string }
  | { readonly field: string; readonly value: string }
  | { readonly select: string; readonly value: string }
  | { readonly file: string; readonly content: string }
  | { readonly archive: Uint8Array }
  | { readonly marks: number }

type Shot = {
  readonly name: string
  readonly path: string
  readonly as?: Role | null
  /** What the screen shows once it has read its data. */
  readonly ready?: string
  readonly press?: readonly Press[]
  /** How the reads of the screen are answered; those of a stale one fail after it was shown. */
  readonly reads?: Mode | 'stale'
  readonly media?: 'print'
}
type Made = { readonly id: number }
type Language = 'en' | 'de' | 'fr'
type Width = 'wide' | 'narrow'
type Theme = 'light' | 'dark'

const LANGUAGES: readonly Language[] = ['en', 'de', 'fr']
const FOLDER = join(import.meta.dir, '../pictures/screens')
const CONSOLE = join(import.meta.dir, '../../../src/console')
const SESSIONS = 60
const LINES = 60
const PLANT_MAX_MS = 300_000
const SHOT_MAX_MS = 600_000
const LOOKS: Readonly<Record<Language, readonly (readonly [Width, Theme])[]>> = {
  en: [
    ['wide', 'light'],
    ['wide', 'dark'],
    ['narrow', 'light'],
    ['narrow', 'dark'],
  ],
  de: [
    ['wide', 'dark'],
    ['narrow', 'light'],
  ],
  fr: [
    ['wide', 'light'],
    ['narrow', 'dark'],
  ],
}
const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const
/** The smallest window of WCAG 1.4.10. */
const SMALLEST = { width: 320, height: 640 } as const

const text = (key: string): Press => ({ text: key })
const css = (selector: string): Press => ({ css: selector })
const pumpHours: Press = {
  file: 'Pump hours.csv',
  content: 'id;station;hours;checked\n007;Harlingen;3,5;yes\n008;Den Oever;4;no\n009;;x;yes',
}
const menu = css('.pagehead .menu > button')
/** A dialog of a screen. */
const dialog = (path: string, name: string, ...press: readonly Press[]): Shot => ({
  name: `${nameOf(path)}, ${name}`,
  path,
  press,
})
const nameOf = (path: string): string => (path === '' ? 'overview' : path.replaceAll(/[{}]/g, ''))

const SHOTS: readonly Shot[] = [
  ...SCREENS.filter((path) => !/^(?:data|queries)$/.test(path)).map((path) => ({ name: nameOf(path), path })),
  { name: 'set-up', path: 'setup#token', as: null },
  { name: 'login', path: '', as: null },
  {
    name: 'login, refused',
    path: '',
    as: null,
    press: [
      { field: 'input[autocomplete=username]', value: 'admin' },
      { field: 'input[type=password]', value: 'wrong' },
      text('login.submit'),
    ],
    ready: '[role=alert]',
  },
  { name: 'no right', path: 'settings/backups', as: 'dashboard_viewer' },
  { name: 'viewer, job', path: 'job/{job}?tab=configuration', as: 'dashboard_viewer' },
  { name: 'viewer, overview', path: '', as: 'dashboard_viewer' },
  dialog('', 'palette', { keys: 'Control+k' }),
  dialog('', 'user menu', css('.nav .who .menu > button')),
  { name: 'alarms, closed', path: 'alarms?status=closed' },
  dialog('alarms', 'marked', css('.al input')),
  dialog('alarms/{alarm}', 'assign', text('alarms.assign')),
  dialog('objects', 'filter builder', text('objects.build'), text('objects.addCondition')),
  dialog('objects', 'marked', { marks: 2 }),
  ...['move', 'copy', 'delete'].map((what) =>
    dialog(
      'objects',
      `marked, ${what}`,
      // The second row is a group, which is not copied.
      { marks: what === 'copy' ? 1 : 2 },
      text(what === 'delete' ? 'objects.delete' : `objects.${what}Menu`),
    ),
  ),
  dialog('group/{group}', 'menu', menu),
  dialog('group/{group}', 'add group', menu, text('objects.add.group')),
  dialog('group/{group}', 'add device', text('objects.add.device')),
  dialog('group/{group}', 'edit', menu, text('objects.edit')),
  dialog('group/{group}', 'move', menu, text('objects.moveMenu')),
  dialog('group/{group}', 'delete', menu, text('objects.delete')),
  dialog('device/{device}', 'add job', text('objects.add.job')),
  dialog('device/{device}', 'copy', menu, text('objects.copyMenu')),
  dialog('job/{job}', 'full chart', text('job.full')),
  dialog('job/{job}', 'table', text('job.table')),
  dialog('job/{job}', 'menu', menu),
  dialog('job/{job}', 'copied', menu, text('job.copyLink')),
  dialog('job/{job}', 'force', menu, text('job.forceMenu')),
  dialog('job/{job}', 'delete', menu, text('objects.delete')),
  dialog('job/{job}?tab=send', 'push-url', text('job.push.new')),
  dialog('job/{job}?tab=configuration', 'limit', text('job.config.addLimit')),
  dialog('slos', 'new', css('main .card header .btn')),
  dialog('slc/{slc}', 'delete', menu, text('levels.delete')),
  dialog('status-pages', 'new', text('pages.new')),
  dialog('maintenance', 'plan', text('maintenance.plan')),
  dialog('maintenance', 'correct', text('maintenance.plan'), {
    select: 'dialog select',
    value: 'adjustment',
  }),
  dialog('maintenance', 'comment', text('maintenance.plan'), { select: 'dialog select', value: 'comment' }),
  dialog('maintenance?view=agenda', 'details', css('.body button.ev, .agenda button')),
  dialog(
    'maintenance?view=agenda',
    'edit',
    css('.body button.ev, .agenda button'),
    text('maintenance.editIt'),
  ),
  dialog('scripts', 'new', text('scripts.new')),
  dialog('scripts', 'import', text('scripts.import')),
  {
    ...dialog('scripts', 'import, preview', text('scripts.import'), {
      archive: craft([
        {
          name: 'Tide table of the harbours.zip',
          data: craft([
            { name: 'main.py', data: 'print("high water")\n' },
            { name: 'lib/harbours.py', data: 'HARBOURS = ["Harlingen"]\n' },
          ]),
        },
        { name: 'Pump hours.zip', data: craft([{ name: 'readme.txt', data: 'no program\n' }]) },
      ]),
    }),
    ready: '.packed',
  },
  { name: 'run, log', path: 'scripts/{logged}/jobs/{log}', ready: '.log .line' },
  { name: 'run, lost', path: 'scripts/{logged}/jobs/{lost}', ready: 'main .note' },
  dialog('scripts/{script}', 'run', text('scripts.run')),
  dialog('scripts/{script}?tab=schedules', 'new', text('scripts.newSchedule')),
  dialog('scripts/{script}?tab=webhooks', 'new', text('scripts.newToken')),
  dialog('scripts/{script}?tab=settings', 'new configuration', text('scripts.newConfiguration')),
  dialog('notifications', 'new', text('notifications.new')),
  dialog('notifications', 'edit', css('main table .btn.icon')),
  dialog('notifications/links', 'new', text('notifications.newLink')),
  dialog('content/translations', 'add', text('content.addText')),
  dialog('users', 'new', text('users.new')),
  dialog('users/groups', 'new', text('users.newGroup')),
  { name: 'users/directory', path: 'users/directory' },
  { ...dialog('users/directory', 'synced', text('users.syncNow')), ready: 'main table' },
  dialog('users/explain', 'grant', text('users.grant')),
  dialog('users/user/{user}', 'delete', text('users.delete')),
  dialog('users/user/{guarded}', 'second factor', text('users.mfaReset')),
  dialog('settings/backups', 'new', text('settings.backups.make')),
  dialog('settings/backups', 'restore', text('settings.restore.fromFile')),
  dialog('settings/demo', 'remove', text('settings.demo.remove')),
  dialog('account', 'second factor', text('account.mfaSetUp')),
  dialog('account', 'new token', text('account.newToken')),
  // What asks before it destroys, and the dialogs of an object.
  dialog('job/{job}', 'maintain', text('job.maintain')),
  dialog('slo/{slo}', 'add member', text('levels.addMember')),
  dialog('slo/{slo}', 'delete', menu, text('levels.delete')),
  dialog(
    'maintenance?view=agenda',
    'delete',
    css('.body button.ev, .agenda button'),
    css('dialog .btn.danger'),
  ),
  dialog('scripts/{script}?tab=webhooks', 'rotate', text('scripts.rotateName')),
  dialog('scripts/{script}?tab=webhooks', 'revoke', text('scripts.revokeName')),
  dialog('scripts/{script}?tab=settings', 'delete', text('scripts.deleteScript')),
  dialog('notifications', 'test', text('notifications.testName')),
  dialog('notifications', 'delete', text('notifications.deleteName')),
  dialog('content', 'delete', text('content.deleteName')),
  dialog('users', 'delete', text('users.deleteName')),
  dialog('users/user/{user}', 'disable', text('users.disable')),
  dialog('users/groups', 'delete', text('users.deleteName')),
]
const WIDGET_KINDS = [
  'value',
  'history',
  'table',
  'states',
  'alarms',
  'slo',
  'map',
  'text',
  'image',
  'input',
  'script',
  'dashboard',
  'clock',
]
const STATES = { loading: 'wait', failed: 503, refused: 403, stale: 'stale' } as const
const statesOf = (path: string): readonly Shot[] =>
  Object.entries(STATES).map(([state, reads]) => ({ name: `${nameOf(path)}, ${state}`, path, reads }))

/** Screens of dashboards, of forecasts and of the map. */
const BOARD_SHOTS: readonly Shot[] = [
  { name: 'dashboards', path: 'dashboards' },
  { name: 'dashboards/group', path: 'dashboards?group={boards}' },
  { name: 'dashboard', path: 'dashboards/storm-desk' },
  { name: 'dashboard, edit', path: 'dashboards/storm-desk?edit=true' },
  { name: 'dashboard, printed', path: 'dashboards/storm-desk', media: 'print' },
  { name: 'dashboard, viewer', path: 'dashboards/storm-desk', as: 'dashboard_viewer' },
  {
    name: 'map',
    path: 'map?source={source}&table=stations&lat=lat&lon=lon&key=name&state=state',
    ready: '.spot',
  },
  { name: 'map, empty', path: 'map' },
  { name: 'map, query', path: 'map?query={stations}&lat=lat&lon=lon&key=name&state=state', ready: '.spot' },
  { name: 'forecasts', path: 'forecasts' },
  { name: 'forecasts, new', path: 'forecasts/new' },
  { name: 'forecast', path: 'forecasts/{forecast}', ready: '.plot canvas' },
  dialog('forecasts/{forecast}', 'limit', text('forecasts.makeLimit')),
  { name: 'limits', path: 'job/{guests}?tab=configuration', ready: '.limit' },
  { name: 'public dashboard', path: 'public/{link}', as: null, ready: '.plot canvas' },
  { name: 'wall, dashboards', path: 'wall?dashboards=storm-desk&every=60' },
  dialog('dashboards', 'new', text('boards.new')),
  dialog('dashboards', 'import', menu, text('boards.import')),
  dialog('dashboards?group={boards}', 'delete', menu, text('data.delete')),
  dialog('dashboards/storm-desk', 'menu', menu),
  dialog('dashboards/storm-desk', 'versions', menu, text('boards.versions')),
  dialog('dashboards/storm-desk', 'share', menu, text('boards.share')),
  dialog('dashboards/storm-desk?edit=true', 'add', text('boards.addWidget')),
  dialog('dashboards/storm-desk?edit=true', 'settings', text('boards.settings')),
  dialog('dashboards/storm-desk?edit=true', 'widget', css('.editing .widget[data-kind=chart] header .btn')),
  ...WIDGET_KINDS.map((kind) =>
    dialog(
      'dashboards/inside?edit=true',
      `new ${kind}`,
      text('boards.addWidget'),
      text(`boards.kind.${kind}`),
    ),
  ),
  dialog('dashboards', 'new group', text('boards.newGroup')),
  dialog('dashboards', 'menu', menu),
  dialog('dashboards?group={boards}', 'edit group', menu, text('boards.editGroup')),
  dialog(
    'dashboards/inside',
    'difference',
    menu,
    text('boards.versions'),
    text('boards.compareVersion'),
    css('dialog section td'),
  ),
  dialog('dashboards/inside', 'delete', menu, text('data.delete')),
  dialog('dashboards/inside', 'mail', menu, text('boards.mail')),
  { name: 'dashboard, invalid', path: 'dashboards/broken-desk' },
  { name: 'dashboard, none of this name', path: 'dashboards/no-such-desk' },
  { name: 'public dashboard, taken away', path: 'public/taken-away', as: null },
  dialog('forecasts/{forecast}', 'menu', menu),
  dialog('forecasts/{forecast}', 'delete', menu, text('forecasts.delete')),
  { name: 'forecasts, edit', path: 'forecasts/{forecast}?edit=true' },
  dialog(
    'job/{guests}?tab=configuration',
    'replay',
    { field: '.limit input.input', value: '41' },
    css('[aria-live=polite] .faint'),
  ),
  ...['dashboards', 'dashboards/inside', 'forecasts/{forecast}'].flatMap(statesOf),
  // A map that fails to move keeps its places below the failure.
  ...statesOf('map?query={stations}&lat=lat&lon=lon&key=name').filter(({ reads }) => reads !== 'stale'),
  dialog(
    'map?source={source}&table=stations&lat=lat&lon=lon&key=name&state=state',
    'members',
    css('.place-list .btn'),
  ),
]
const DATA_SHOTS: readonly Shot[] = [
  ...DATA_SCREENS.map((path) => ({ name: nameOf(path.replace('{summary}', 'summary')), path })),
  dialog('data', 'new', text('data.new')),
  dialog('data/{source}/import', 'file', {
    file: 'tides.csv',
    content:
      'station,measured,level\nHarlingen,2026-11-01T00:00:00Z,1.24\nDen Oever,2026-11-01T00:10:00Z,0.98\n',
  }),
  dialog('data/{source}?tab=refreshes', 'new', text('data.refresh.new')),
  dialog('data/{source}?tab=scopes', 'new', text('data.newScope')),
  { name: 'scopes, preview', path: 'data/{source}?tab=scopes&user={user}', ready: '.within table' },
  dialog(
    'data/{source}/import',
    'faults',
    pumpHours,
    { select: 'tr:has-text("hours") .column-type', value: 'number' },
    css('main .btn.primary'),
    css('main [role=alert]'),
  ),
  dialog(
    'data/{source}/import?table=stations&mode=replace',
    'imported',
    pumpHours,
    css('main .btn.primary'),
    css('main [role=status] b'),
  ),
  dialog('data/{source}', 'menu', menu),
  dialog('data/{source}/tables/levels', 'filter', text('data.filter')),
  dialog('data/{source}/tables/levels', 'summary', text('data.summary')),
  dialog('data/{source}/tables/levels', 'columns', text('data.chooseColumns')),
  dialog('data/{source}/tables/levels', 'insert', text('data.insertRow')),
  dialog('data/{source}/tables/levels', 'delete', menu, text('data.deleteTable')),
  dialog('queries', 'new group', text('queries.newGroup')),
  dialog('queries/{query}', 'result', css('.pagehead .btn.primary'), css('.data-grid [role=gridcell]')),
  dialog('queries/{query}?view=chart', 'chart', css('.pagehead .btn.primary'), css('.plot .u-over')),
  dialog('queries/{query}', 'compare', css('.query section:last-child li .btn')),
  dialog('queries/{query}', 'publish', text('queries.publish')),
  dialog('queries/{query}', 'plan', text('queries.plan'), css('.plan .step')),
  dialog('queries/{query}', 'delete', menu, text('data.delete')),
  dialog('queries/{query}', 'parameter', text('queries.addParameter')),
  dialog('queries/{query}', 'menu', menu),
  dialog('queries?group={queryGroup}', 'menu', menu),
  dialog('queries?group={queryGroup}', 'edit', menu, text('queries.editGroup')),
  dialog('queries?group={queryGroup}', 'delete', menu, text('data.delete')),
  dialog('data', 'new database', text('data.new'), text('data.type.postgresql')),
  dialog('data', 'import configuration', menu, text('data.importConfiguration')),
  dialog('data/{source}', 'edit', menu, text('data.edit')),
  dialog('data/{source}', 'new table', menu, text('data.newTable')),
  dialog('data/{source}', 'delete', menu, text('data.delete')),
  dialog('data/{source}?tab=scopes', 'edit', text('data.editName')),
  dialog('data/{source}?tab=scopes', 'delete', text('data.deleteName')),
  dialog('data/{source}/tables/levels', 'menu', menu),
  dialog('data/{source}/tables/levels', 'comment', menu, text('data.comment')),
  dialog('data/{source}/tables/levels', 'rename', menu, text('data.renameTable')),
  dialog('data/{source}/tables/levels', 'condition', text('data.filter'), text('data.addCondition')),
  dialog('data/{source}/tables/levels', 'row', css('.data-grid [role=gridcell]'), { keys: 'Enter' }),
  dialog('data/{source}/tables/levels?tab=columns', 'add', text('data.addColumn')),
  dialog('data/{source}/tables/levels?tab=columns', 'edit', text('data.editName')),
  dialog('data/{source}/tables/levels?tab=columns', 'delete', text('data.deleteName')),
  dialog('data/{source}/tables/levels?tab=columns', 'comment', text('data.commentOn')),
  ...['data', 'data/{source}', 'data/{source}/tables/levels', 'queries', 'queries/{query}'].flatMap(statesOf),
]

const declarePictures = (stage: Stage): void => {
  let pathOf: PathOf = (path) => path
  beforeAll(async () => {
    if (!IS_COMPLETE) return
    const [ofPlant, ofData] = [await makePlant(stage.client), await makeData(stage.client)]
    const ids = await makeThings(stage.client)
    const json = { name: 'Storm desk', groupId: ids['boards'], definition: definitionOf(ids) }
    const board = await good<Made>(stage.client.request('POST', '/dashboards', { json }))
    await changeBoard(stage.client, ids['inside'] ?? 0)
    await breakBoard(stage.client)
    const places = {
      ...ids,
      ...(await makeForecast(stage.client)),
      link: await publish(stage.client, board.id),
    }
    const ofBoards: PathOf = (path) => placed(path, places)
    for (let session = 0; session < SESSIONS; session++) await logIn(stage.client)
    const single = {
      ...(await makeLogs(stage.client)),
      guarded: await guard(stage.client),
    }
    pathOf = (path) => {
      if (/\{(?:logged|guarded)\}/.test(path)) return placed(path, single)
      if (/^(?:data|queries)/.test(path)) return ofData(path)
      return /^(?:dashboards|map|forecasts|public|job\/\{guests)/.test(path) ? ofBoards(path) : ofPlant(path)
    }
  }, PLANT_MAX_MS)

  for (const shot of [...SHOTS, ...DATA_SHOTS, ...BOARD_SHOTS])
    test.skipIf(!IS_COMPLETE)(
      `picture of ${shot.name}`,
      async () => {
        // Before a login the browser decides the language, after it the user.
        const visits: readonly (readonly Language[])[] =
          shot.as === null ? LANGUAGES.map((one) => [one]) : [LANGUAGES]
        for (const languages of visits) await take(stage, { ...shot, path: pathOf(shot.path) }, languages)
      },
      SHOT_MAX_MS,
    )
}

const directory = IS_COMPLETE
  ? await startSlapd(['ada', 'grace', 'editor'].map((name) => person(name)).join(''))
  : null
afterAll(() => directory?.close())
onBun('screens', declarePictures, {
  variables: { TIDEMARK_RUNNER_TOKEN: RUNNER_TOKEN, ...directory?.variables },
})

/** Opens one more session of the editor: the page of this user has pictures with many sessions. */
const logIn = (client: Client): Promise<unknown> =>
  good(
    client.request('POST', '/session/login', { json: { username: 'editor', password: PASSWORD }, as: null }),
  )

/** A path with ids in the place of their names. */
const placed = (path: string, ids: Readonly<Record<string, string | number>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))

/** Sets a second factor up for a collector.
 * @returns the id of the user */
async function guard(client: Client): Promise<number> {
  const as = 'collector'
  const { secret } = await good<{ secret: string }>(client.request('POST', '/session/mfa', { as }))
  const json = { code: await codeOf(fromBase32(secret), stepAt(Date.now())) }
  await good(client.request('POST', '/session/mfa/confirmation', { as, json }))
  return client.userIds[as]
}

/** Makes a run that has ended with an error, and one whose runner is silent from now on, both with a log.
 * @returns the ids of their script and of the runs */
async function makeLogs(client: Client) {
  const { scriptId, begun } = await stageOf(client)
  const held = await begun({ arguments: ['--station', 'Den Oever'] })
  const at = Date.now()
  const texts = Array.from({ length: LINES }, (_, line) => `${line + 1} of ${LINES} readings stored`)
  const lines = texts.map((stored, place) => ({
    line: place + 1,
    at: at + place,
    stream: 'stdout' as const,
    text: stored,
  }))
  const fault = `Timeout: ${'https://gauge.example.org/'.repeat(6)}`
  const last = { line: LINES + 1, at: at + LINES, stream: 'stderr' as const, text: fault }
  await must(held.log([...lines, last]))
  await must(held.finish({ outcome: 'failed', exitCode: 1, logLines: LINES + 1 }))
  const left = await begun({ arguments: ['--station', 'Harlingen'] })
  await must(left.log(lines))
  return { logged: scriptId, log: held.id, lost: left.id }
}

/** Makes a forecast with values, of a job with limits that look ahead and that compare with usual values. */
async function makeForecast(client: Client): Promise<{ readonly forecast: number; readonly guests: number }> {
  const guests = await makeGuests(client)
  const condition = { key: 'returnValue1', operator: '>', value: 60 }
  const thresholds = {
    major: { conditions: [{ ...condition, inFuture: 'PT12H' }] },
    minor: { conditions: [{ ...condition, adaptiveValues: { window: 'P7D', season: 'day' } }] },
  }
  await good(client.request('PATCH', `/jobs/${guests}`, { json: { thresholds } }))
  const runner = await runnerOf(client, { capabilities: ['forecast'], forecastKinds: ['auto', 'naive'] })
  const forecast = await good<Made>(
    client.request('POST', '/forecasts', {
      json: {
        name: 'Guests of the harbour',
        source: { type: 'job', jobId: guests, key: 'returnValue1' },
        step: 'PT1H',
        horizon: 'PT12H',
        timeZone: 'UTC',
        model: { kind: 'auto' },
      },
    }),
  )
  const ordered = runner.next()
  await good(client.request('POST', `/forecasts/${forecast.id}/run`, { json: {} }))
  await leaveResults(await ordered)
  return { forecast: forecast.id, guests }
}

/** Makes a second version of a dashboard. */
const changeBoard = (client: Client, id: number): Promise<unknown> => {
  const widgets = { t: { kind: 'text', title: 'Lock', markdown: 'Inside the lock' } }
  const items = [{ widget: 't', x: 0, y: 0, w: 6, h: 2 }]
  const definition = { widgets, pages: [{ id: 'main', title: '', items }] }
  return good(client.request('PATCH', `/dashboards/${id}`, { json: { definition } }))
}

/** Makes a dashboard whose data query is gone. */
async function breakBoard(client: Client): Promise<void> {
  const post = (path: string, json: object) => good<Made>(client.request('POST', path, { json }))
  const source = await post('/dataSources', { name: 'Old pumps', type: 'csv' })
  const query = await post('/dataQueries', {
    name: 'Old pumps',
    dataSourceId: source.id,
    text: 'SELECT 1 AS value',
  })
  const table = { kind: 'table', title: 'Pumps', dataQueryId: query.id }
  const items = [{ widget: 'table', x: 0, y: 0, w: 6, h: 3 }]
  const definition = { widgets: { table }, pages: [{ id: 'main', title: '', items }] }
  await post('/dashboards', { name: 'Broken desk', definition })
  await good(client.request('DELETE', `/dataQueries/${query.id}?forceDelete=true`))
}

/** Publishes a dashboard.
 * @returns the token of its link */
async function publish(client: Client, id: number): Promise<string> {
  await good(client.request('PATCH', '/settings.json', { json: { publicDashboards: true } }))
  const { path } = await good<{ readonly path: string }>(
    client.request('PUT', `/dashboards/${id}/public`, { json: {} }),
  )
  return path.split('/').at(-1) ?? ''
}

/** Opens the screen of a shot in each language, takes a picture of each look, and asks axe in two of them. */
async function take(stage: Stage, shot: Shot, languages: readonly Language[]) {
  const { name, as = 'administrator' } = shot
  const [locale = 'en'] = languages
  await stage.visit('keys', { as, browser: { locale } }, async ({ page, expectProblem }) => {
    expectProblem(/status of 40[134]/)
    if (shot.reads !== undefined) expectProblem(/status of 503|answers 503/)
    const faults: string[] = []
    const reads = new Reads(page)
    if (shot.reads !== undefined) await reads.begin(UNCHANGED)
    for (const language of languages) {
      if (as !== null)
        await good(
          stage.client.request('PATCH', `/users/${stage.client.userIds[as]}`, { json: { language } }),
        )
      await page.setViewportSize(SIZES.wide)
      await open(page, reads, { ...shot, url: `${stage.url}/ui/${shot.path}` }, language)
      for (const [width, theme] of LOOKS[language]) {
        await page.setViewportSize(SIZES[width])
        await page.emulateMedia({ colorScheme: theme, media: shot.media ?? 'screen' })
        const file = `${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}-${language}-${width}-${theme}.png`
        await page.screenshot({ path: join(FOLDER, file), animations: 'disabled', fullPage: true })
        if (language === 'en' && (width === 'wide') === (theme === 'light'))
          faults.push(...(await faultsOf(page)).map((fault) => `${file}: ${fault}`))
      }
      await page.setViewportSize(SMALLEST)
      await page.emulateMedia({ media: 'screen' })
      const tooWidePx = await page.evaluate<number>(TOO_WIDE)
      if (tooWidePx > 0)
        faults.push(
          `${language}: ${tooWidePx} px wider than ${SMALLEST.width} px`,
          ...(await page.evaluate<string[]>(WIDEST)),
        )
    }
    expect(faults).toEqual([])
  })
}

/** Opens the screen of a shot, in the state that the answers to its reads cause. */
async function open(
  page: Page,
  reads: Reads,
  { url, press = [], ready, reads: answer = 'pass' }: Shot & { readonly url: string },
  language: Language,
): Promise<void> {
  reads.set(answer === 'stale' ? 'pass' : answer)
  await page.goto(url)
  await page.locator(`html[lang=${language}]`).waitFor({ state: 'attached' })
  if (answer === 'wait') return page.locator('main .skel').first().waitFor()
  await settled(page)
  for (const one of press) await pressOn(page, one, language)
  if (ready !== undefined) await page.locator(ready).first().waitFor()
  await settled(page)
  if (answer !== 'stale') return
  reads.set(503)
  reads.gap()
  await page.locator('main .stale').first().waitFor()
}

const settled = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
}

async function pressOn(page: Page, press: Press, language: Language): Promise<void> {
  if ('css' in press) return page.locator(press.css).first().click()
  if ('keys' in press) return page.keyboard.press(press.keys)
  if ('field' in press) return page.locator(press.field).first().fill(press.value)
  if ('select' in press) return void (await page.locator(press.select).first().selectOption(press.value))
  if ('file' in press) {
    const file = { name: press.file, mimeType: 'text/csv', buffer: Buffer.from(press.content) }
    await page.locator('input[type=file]').first().setInputFiles(file)
    return page.locator('main table').first().waitFor()
  }
  if ('archive' in press) {
    const buffer = Buffer.from(press.archive)
    const file = { name: 'scripts.zip', mimeType: 'application/zip', buffer }
    return page.locator('dialog input[type=file]').setInputFiles(file)
  }
  if ('marks' in press) {
    const items = page.getByRole('treeitem')
    const shown = await items.count()
    await items.nth(1).locator('.tw').click()
    // The rows below move down when these come.
    await until(async () => (await items.count()) > shown)
    for (let at = 2; at < 2 + press.marks; at++) await items.nth(at).click({ modifiers: ['Control'] })
    return
  }
  // The name of a button has a common space where its French text has one that does not break.
  const pattern = (TEXTS[language][press.text] ?? '').replaceAll(/\{[^}]*\}/g, '.*')
  const name = new RegExp(`^${pattern.replaceAll(/\s/g, String.raw`\s`)}$`)
  await page.getByRole('button', { name }).or(page.getByRole('menuitem', { name })).last().click()
}

/** All texts of the console by their keys. */
function textsOf(language: Language): Readonly<Record<string, string>> {
  const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  const texts = files
    .filter((path) => path.endsWith(`words/${language}.json`))
    .map((path) => JSON.parse(readFileSync(join(CONSOLE, path), 'utf8')) as Record<string, string>)
  return Object.assign({}, ...texts) as Readonly<Record<string, string>>
}
const TEXTS = { en: textsOf('en'), de: textsOf('de'), fr: textsOf('fr') }

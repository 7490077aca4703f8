import { beforeAll, test } from 'bun:test'

import { good } from '../api/suite.ts'
import { onMainHost } from './stage.ts'

/** The screens of the navigation by their names in pictures, and their paths. */
const SCREENS: readonly (readonly [name: string, path: string])[] = [
  ['overview', ''],
  ['alarms', 'alarms'],
  ['objects', 'objects'],
  ['levels', 'slos'],
  ['status-pages', 'status-pages'],
  ['maintenance', 'maintenance'],
  ['scripts', 'scripts'],
  ['notifications', 'notifications'],
  ['content', 'content'],
  ['users', 'users'],
  ['settings', 'settings'],
  ['audit', 'audit'],
  ['account', 'account'],
  ['keys', 'keys'],
  ['first-value', 'first-value'],
]
const PLANT_MAX_MS = 60_000

onMainHost('screens', (stage) => {
  beforeAll(async () => {
    await good(stage.client.request('POST', '/demo', { json: { seed: 'wadden' } }))
  }, PLANT_MAX_MS)

  // A browser draws the same on both hosts.
  for (const [name, path] of stage.name === 'bun' ? SCREENS : SCREENS.slice(0, 3))
    test(`${name} shows the demo plant without a fault of accessibility`, () =>
      stage.visit(path, {}, async ({ page, check }) => {
        await page.getByRole('main').waitFor()
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await check(name)
      }))
})

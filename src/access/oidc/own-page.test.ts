import { expect, test } from 'bun:test'

import { isOwnPage, loginPageFor } from './own-page.ts'

test.each([
  ['', '/ui/', '/ui/login?returnTo=%2Fui%2F'],
  ['', '/ui/alarms?status=open#1', '/ui/login?returnTo=%2Fui%2Falarms%3Fstatus%3Dopen%231'],
  ['', '/ui/a/../alarms', '/ui/login?returnTo=%2Fui%2Falarms'],
  ['', '/ui//evil.example', '/ui/login?returnTo=%2Fui%2F%2Fevil.example'],
  ['/monitor', '/monitor/ui/jobs/3', '/monitor/ui/login?returnTo=%2Fmonitor%2Fui%2Fjobs%2F3'],
])('below "%s" a login returns to %s', (basePath, returnTo, page) => {
  expect(loginPageFor(basePath, returnTo)).toBe(page)
  expect(isOwnPage(page)).toBe(true)
})

test.each([
  '',
  '/',
  '/ui',
  '/uix/',
  '/jobs/3',
  'ui/',
  '/ui/../jobs',
  '/ui/%2e%2e/jobs',
  '/ui/..\\jobs',
  '//evil.example/ui/',
  '/\\evil.example/ui/',
  '\\/evil.example/ui/',
  '/\t/evil.example/ui/',
  ' //evil.example/ui/',
  'https://evil.example/ui/',
  'http://here/ui/',
  'javascript:/ui/',
  '/\n//[',
])('a login does not return to "%s"', (returnTo) => {
  expect(loginPageFor('', returnTo)).toBeNull()
})

test('a page of an installation at the root is not a page below a base path', () => {
  expect(loginPageFor('/monitor', '/ui/')).toBeNull()
  expect(isOwnPage('https://pages.example/')).toBe(false)
})

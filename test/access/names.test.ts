import { afterEach, beforeEach, expect, test } from 'bun:test'

import { logIn } from '../../src/access/session/service.ts'
import { createUser, updateUser } from '../../src/access/users/service.ts'
import type { Context } from '../../src/context.ts'
import { rejection } from '../contract/rejection.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

const PASSWORD = 'countess of lovelace'
const TAKEN = { code: 'name_taken' }
const NO = { code: 'unauthenticated' }

let opened: Awaited<ReturnType<typeof openPorts>>
let context: Context
beforeEach(async () => {
  opened = await openPorts()
  // Fast: how slow a hash is, is tried elsewhere.
  opened.ports.secrets.scrypt = async (password) =>
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(password)))
  context = administratorOf(opened.ports)
})
afterEach(() => opened.close())

const make = (username: string) => createUser(context, { username, password: PASSWORD, role: 'editor' })
const logInAs = (username: string, password = PASSWORD) => logIn(context, { username, password })

test('a user signs in by every spelling of the name, and nobody else gets one', async () => {
  const { id } = await make('Zo\u00e9')
  for (const spelling of ['Zo\u00e9', 'zoe\u0301', 'ZO\u00c9', '\uff3aoe\u0301']) {
    expect(await logInAs(spelling)).toMatchObject({ owed: null })
    expect(await rejection(make(spelling))).toMatchObject(TAKEN)
  }
  expect(await rejection(logInAs('Zoe'))).toMatchObject(NO)
  await make('Zoe')
  const rename = (username: string) => updateUser(context, id, { body: { username }, ifMatch: null })
  expect(await rejection(rename('ZOE'))).toMatchObject(TAKEN)
  await rename('ZO\u00c9')
  await rename('Z')
  expect(await rejection(logInAs('zo\u00e9'))).toMatchObject(NO)
  await make('zo\u00e9')
})

test('wrong passwords count for all spellings of a name together', async () => {
  await make('ada')
  for (const spelling of ['ada', 'ADA', 'Ada', '\uff41da', 'aDa', 'adA', 'ADa', 'aDA', 'AdA', '\uff21DA'])
    expect(await rejection(logInAs(spelling, 'wrong'))).toMatchObject(NO)
  expect(await rejection(logInAs('ada'))).toMatchObject({ code: 'too_many_attempts' })
})

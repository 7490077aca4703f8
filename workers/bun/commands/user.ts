import { randomBytes } from 'node:crypto'

import { CommandFailure, EXIT } from '../../server/failures.ts'
import { serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { decodeText } from './input.ts'
import { outcome, table } from './printing.ts'

type User = {
  readonly id: number
  readonly username: string
  readonly role: string
  readonly disabled: boolean
}

const PASSWORD_BYTES = 18
const PASSWORD_OPTION = { 'password-stdin': { value: null } }

/** `tidemark user`: lists and creates users, and resets a password without a running service. */
export const userCommand: Command = {
  name: 'user',
  about:
    'Lists and creates users, and resets a password. A new password is printed once unless --password-stdin reads it from\n' +
    '  standard input. `reset-password` needs no login and no running service: stop the service, name its data directory by\n' +
    '  TIDEMARK_DATA_DIR, and start it again. The sessions and the personal tokens of the user end; --remove-mfa removes\n' +
    '  the second factor, too. Roles: administrator, editor, collector, Data_Editor and dashboard_viewer.',
  actions: {
    list: serviceAction({ words: '', count: [0, 0], options: {}, run: list }),
    create: serviceAction({
      words: '<username>',
      count: [1, 1],
      options: { role: { value: 'role' }, ...PASSWORD_OPTION },
      run: create,
    }),
    'reset-password': {
      words: '<username>',
      count: [1, 1],
      options: { ...PASSWORD_OPTION, 'remove-mfa': { value: null }, json: { value: null } },
      run: reset,
    },
  },
}

async function list(invocation: Invocation): Promise<Outcome> {
  return outcome(invocation, await invocation.client().read<readonly User[]>('/users'), (users) =>
    table(
      ['ID', 'USERNAME', 'ROLE', 'DISABLED'],
      users.map(({ id, username, role, disabled }) => [id, username, role, disabled ? 'yes' : 'no']),
      '',
    ),
  )
}

async function create(invocation: Invocation): Promise<Outcome> {
  const role = invocation.text('role')
  if (role === undefined)
    throw new CommandFailure(
      EXIT.usage,
      'Pass --role: administrator, editor, collector, Data_Editor or dashboard_viewer.',
    )
  const { password, isNew } = await passwordOf(invocation)
  const body = JSON.stringify({ username: invocation.words[0], role, password })
  const user = await invocation.client().json<User>('POST', '/users', body)
  return outcome(
    invocation,
    isNew ? { ...user, password } : user,
    ({ id, username }) => `User ${id} "${username}" is created.\n${isNew ? `Password: ${password}\n` : ''}`,
  )
}

async function reset(invocation: Invocation): Promise<Outcome> {
  const [username = ''] = invocation.words
  const { password, isNew } = await passwordOf(invocation)
  const removesMfa = invocation.isSet('remove-mfa')
  const { resetOffline } = await import('./reset-offline.ts')
  await resetOffline(invocation.environment, { username, password, removesMfa })
  return outcome(
    invocation,
    isNew ? { username, password } : { username },
    () => `The password of "${username}" is changed.\n${isNew ? `Password: ${password}\n` : ''}`,
  )
}

async function passwordOf(
  invocation: Invocation,
): Promise<{ readonly password: string; readonly isNew: boolean }> {
  if (!invocation.isSet('password-stdin'))
    return { password: randomBytes(PASSWORD_BYTES).toString('base64url'), isNew: true }
  const text = decodeText(await Bun.stdin.bytes(), 'The password')
  const [password = ''] = text.split(/\r?\n/)
  return { password, isNew: false }
}

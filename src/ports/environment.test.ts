import { describe, expect, test } from 'bun:test'

import * as z from 'zod'
import { OF_ONE_HOST, parseEnvironment, strangeVariables, wholeNumber } from './environment.ts'
import { settingsSchema } from './settings.ts'

const schema = z.object({
  TIDEMARK_PORT: wholeNumber(0, 65_535).default(8080).describe('The port.'),
  TIDEMARK_MODE: z.enum(['on', 'off']).optional(),
  TIDEMARK_TRACES_HEADERS: z.string().includes('=', 'must have pairs').optional(),
  TIDEMARK_ADMIN_PASSWORD: z.string().min(8).max(10).optional(),
  TIDEMARK_SMTP_URL: z.string().startsWith('smtps:', 'must begin with smtps:').optional(),
  TIDEMARK_LIST: z
    .string()
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(z.array(z.object({ group: z.string('must be a text') })))
    .optional(),
})

function messageOf(environment: Readonly<Record<string, string>>): string {
  try {
    parseEnvironment(schema, environment)
    return ''
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError)
    return (error as Error).message.replace('The configuration is invalid:\n  ', '')
  }
}

describe('a variable that is wrong', () => {
  test.each([
    ['TIDEMARK_PORT', 'abc', 'TIDEMARK_PORT=abc must be a whole number from 0 to 65535. The port.'],
    ['TIDEMARK_PORT', '70000', 'TIDEMARK_PORT=70000 must be a whole number from 0 to 65535. The port.'],
    ['TIDEMARK_PORT', '1e3', 'TIDEMARK_PORT=1e3 must be a whole number from 0 to 65535. The port.'],
    ['TIDEMARK_PORT', ' 80', 'TIDEMARK_PORT= 80 must be a whole number from 0 to 65535. The port.'],
    ['TIDEMARK_MODE', 'maybe', 'TIDEMARK_MODE=maybe must be one of on, off. '],
    ['TIDEMARK_MODE', 'a\nb', 'TIDEMARK_MODE=a\\nb must be one of on, off. '],
    ['TIDEMARK_MODE', 'x'.repeat(90), `TIDEMARK_MODE=${'x'.repeat(60)}… must be one of on, off. `],
    ['TIDEMARK_ADMIN_PASSWORD', 'short', 'TIDEMARK_ADMIN_PASSWORD must have at least 8 characters. '],
    ['TIDEMARK_ADMIN_PASSWORD', 'much too long', 'TIDEMARK_ADMIN_PASSWORD must have at most 10 characters. '],
    ['TIDEMARK_SMTP_URL', 'http://mail', 'TIDEMARK_SMTP_URL=http://mail must begin with smtps:. '],
    ['TIDEMARK_SMTP_URL', 'smtp://me:pass@mail', 'TIDEMARK_SMTP_URL must begin with smtps:. '],
    ['TIDEMARK_TRACES_HEADERS', 'Bearer secret', 'TIDEMARK_TRACES_HEADERS must have pairs. '],
    ['TIDEMARK_LIST', '[{"group":1}]', 'TIDEMARK_LIST=[{\\"group\\":1}] at /0/group must be a text. '],
  ])('%s %p is reported with its value, unless the value may be secret', (name, value, line) => {
    expect(messageOf({ [name]: value })).toBe(line)
  })

  test('stands on a line of its own, each once', () => {
    expect(messageOf({ TIDEMARK_PORT: '-1.5', TIDEMARK_MODE: 'x' }).split('\n')).toHaveLength(2)
  })
})

test.each(['0', '65535'])('the bounds of a whole number belong to it: %s', (port) => {
  expect(parseEnvironment(schema, { TIDEMARK_PORT: port }).TIDEMARK_PORT).toBe(Number(port))
})

test('an empty variable counts as absent', () => {
  expect(parseEnvironment(schema, { TIDEMARK_PORT: '' }).TIDEMARK_PORT).toBe(8080)
})

describe('a variable without effect', () => {
  const strange = (name: string) => strangeVariables(schema, { [name]: 'x', PATH: 'x' })

  test.each([
    ['TIDEMARK_PROT', 'TIDEMARK_PROT is not a known setting and has no effect. Did you mean TIDEMARK_PORT?'],
    ['TIDEMARK_POT', 'TIDEMARK_POT is not a known setting and has no effect. Did you mean TIDEMARK_PORT?'],
    [
      'TIDEMARK_SMPT_URL',
      'TIDEMARK_SMPT_URL is not a known setting and has no effect. Did you mean TIDEMARK_SMTP_URL?',
    ],
    ['TIDEMARK_ZEBRA', 'TIDEMARK_ZEBRA is not a known setting and has no effect.'],
    ['TIDEMARK_SECRET', 'TIDEMARK_SECRET has no effect on this host: only Workers uses it. Remove it.'],
    ['TIDEMARK_DATA_DIR', 'TIDEMARK_DATA_DIR has no effect on this host: only Bun uses it. Remove it.'],
  ])('%s is reported', (name, line) => {
    expect(strange(name)).toEqual([line])
  })

  test.each(['TIDEMARK_PORT', 'TIDEMARK_RUNNER_SLOTS', 'TIDEMARK_TOKEN', 'OTHER_PORT'])(
    '%s is not a setting',
    (name) => {
      expect(strange(name)).toEqual([])
    },
  )

  test('no setting of one host is one of both', () => {
    const ofOne: readonly string[] = Object.values(OF_ONE_HOST).flat()
    expect(Object.keys(settingsSchema.shape).filter((name) => ofOne.includes(name))).toEqual([])
  })
})

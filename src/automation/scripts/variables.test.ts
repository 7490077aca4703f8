import { expect, test } from 'bun:test'

import { isSecretName } from './variables.ts'

test.each([
  'PASSWORD',
  'DB_PASSWORD',
  'PGPASSWORD',
  'dbPassword',
  'PASS',
  'SMTP_PASS',
  'PASS_OF_MAIL',
  'userPass',
  'PW',
  'ROOT_PW',
  'pw2',
  'MYSQL_PWD',
  'MYSQL_PASSWD',
  'SSH_PASSPHRASE',
  'API_TOKEN',
  'apiKey',
  'API_KEY',
  'CLIENT_SECRET',
  'AWS_CREDENTIALS',
])('%p is the name of a secret', (name) => expect(isSecretName(name)).toBe(true))

test.each(['REGION', 'COMPASS', 'BYPASS_CACHE', 'MONKEY', 'KEYBOARD', 'TOKENS_MAX', 'POWER', 'PATH', 'PWM'])(
  '%p is none',
  (name) => expect(isSecretName(name)).toBe(false),
)

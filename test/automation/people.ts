import type { Ports } from '../../src/ports/index.ts'

/** Makes the user whom `administratorOf` speaks for. */
export async function insertAdministrator({ database }: Ports): Promise<void> {
  await database.run(
    `insert into users (id, username, role, type, fullname, email, phone, language, time_zone, password_hash, version, created_at)
     values (1, 'admin', 'administrator', '', '', '', '', 'en', 'UTC', '', 1, 0)`,
  )
}

import { eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachOf, elementsOf } from '../../../../db/lists.ts'
import { unlessFull } from '../../../../db/row-limit.ts'
import { alarmRecipients } from '../../../../db/tables/notifications.ts'
import type { Role } from '../../../context.ts'
import { isNotNullViolation } from '../../../ports/database.ts'
import type { Database, Write } from '../../../ports/database.ts'
import type { KeptRules } from './schema.ts'
import type { TargetType } from './target.ts'

export type RecipientRow = Omit<typeof alarmRecipients.$inferSelect, 'type' | 'rules' | 'lastStatus'> & {
  readonly type: TargetType
  readonly rules: KeptRules
  readonly lastStatus: 'ok' | 'failed' | null
}

export type RecipientChange = Pick<
  RecipientRow,
  'name' | 'type' | 'target' | 'shownTarget' | 'userId' | 'userGroupId' | 'rules'
>

/** Recipients by id; some, or all. */
export async function listRecipients(
  database: Database,
  ids?: readonly number[],
): Promise<readonly RecipientRow[]> {
  const some = ids && sql`${alarmRecipients.id} in ${elementsOf(ids)}`
  const rows = await database.select().from(alarmRecipients).where(some).orderBy(alarmRecipients.id)
  return rows as readonly RecipientRow[]
}

/** Inserts a recipient. The commit fails, as `isNeeded` recognises, when its user or user group was deleted, and, as
 * `refuseFull` recognises, when there are `max` recipients. */
export async function insertRecipient(
  database: Database,
  recipient: RecipientChange & { readonly createdAt: number },
  { max, also }: { readonly max: number; readonly also: readonly Write[] },
): Promise<number> {
  const row = {
    ...recipient,
    createdAt: unlessFull(recipient.createdAt, { rows: sql`select 1 from alarm_recipients`, max }),
    handedOut: 0,
    version: sql`case when ${whileThere(recipient)} then 1 end`,
  }
  const [[made]] = await database.batch([
    database.insert(alarmRecipients).values(row).returning({ id: alarmRecipients.id }),
    ...also,
  ])
  if (!made) throw new Error('The database returned no row for a new recipient.')
  return made.id
}

/** The id of the recipient with this name, within a write. */
export function idOf(name: string): SQL {
  return sql`(select id from alarm_recipients where name = ${name})`
}

/** A condition that the user and the user group of a recipient exist. */
function whileThere({ userId, userGroupId }: Pick<RecipientChange, 'userId' | 'userGroupId'>): SQL {
  return sql`(${userId} is null or exists (select 1 from users where id = ${userId}))
    and (${userGroupId} is null or exists (select 1 from user_groups where id = ${userGroupId}))`
}

/** Changes a recipient that still has this version; otherwise the whole batch fails because of the empty version. */
export function updateRecipient(
  database: Database,
  { id, version }: RecipientRow,
  change: RecipientChange,
): Write {
  const next = sql`case when ${alarmRecipients.version} = ${version} and ${whileThere(change)} then ${version + 1} end`
  return database
    .update(alarmRecipients)
    .set({ ...change, version: next })
    .where(eq(alarmRecipients.id, id))
}

/** Deletes a recipient with its messages. The commit fails, as `isNeeded` recognises, while a link or another
 * recipient's escalation uses it. */
export function deleteRecipient(database: Database, id: number): Write[] {
  const isFree = sql`not exists (select 1 from alarm_links where recipient_id = ${id}) and not exists (${escalatingTo(id)})`
  return [
    database.run(
      sql`update alarm_recipients set version = case when ${isFree} then version end where id = ${id}`,
    ),
    database.delete(alarmRecipients).where(eq(alarmRecipients.id, id)),
  ]
}

/** Whether a commit failed because of such a use. */
export function isNeeded(error: unknown): boolean {
  return isNotNullViolation(error, 'alarm_recipients.version')
}

function escalatingTo(id: number): SQL {
  return sql`select r.id from alarm_recipients r where r.id <> ${id} and exists (
    select 1 from json_each(r.rules, '$.escalation') step where step.value ->> 'recipientId' = ${id})`
}

/** Stores the result of the latest message to a recipient. */
export function noteResult(
  database: Database,
  id: number,
  last: { readonly status: 'ok' | 'failed'; readonly detail: string; readonly at: number },
): Write {
  const set = { lastStatus: last.status, lastDetail: last.detail, lastAt: last.at }
  return database.update(alarmRecipients).set(set).where(eq(alarmRecipients.id, id))
}

/** The number of links, and of other recipients' escalations, that use a recipient. */
export async function countNeeds(
  database: Database,
  id: number,
): Promise<{ readonly links: number; readonly escalations: number }> {
  const [row] = await database.all<{ links: number; escalations: number }>(sql`
    select (select count(*) from alarm_links where recipient_id = ${id}) as links,
           (select count(*) from (${escalatingTo(id)})) as escalations`)
  return row ?? { links: 0, escalations: 0 }
}

/** The indexes of ids without a row in the table; null is skipped. */
export async function unknownPlaces(
  database: Database,
  table: 'users' | 'user_groups' | 'objects' | 'alarm_recipients',
  ids: readonly (number | null)[],
): Promise<readonly number[]> {
  const rows = await database.all<{ place: number }>(sql`
    select wanted.key as place from ${eachOf(ids)} wanted
    where wanted.value is not null and not exists (select 1 from ${sql.raw(table)} t where t.id = wanted.value) order by wanted.key`)
  return rows.map(({ place }) => place)
}

/** The users of recipients who are not disabled, by recipient and user. */
export function listMembers(
  database: Database,
): Promise<readonly { readonly recipientId: number; readonly userId: number }[]> {
  return database.all(sql`
    select r.id as "recipientId", u.id as "userId" from alarm_recipients r join users u on u.id = r.user_id
    where u.disabled_at is null
    union
    select r.id, u.id from alarm_recipients r join memberships m on m.group_id = r.user_group_id
      join users u on u.id = m.user_id
    where u.disabled_at is null
    order by 1, 2`)
}

/** The users of one recipient. */
export async function listMembersOf(database: Database, id: number): Promise<readonly number[]> {
  return (await listMembers(database)).flatMap((one) => (one.recipientId === id ? [one.userId] : []))
}

/** Stores the number of alarms assigned to the members of a recipient. */
export function saveHandedOut(database: Database, id: number, handedOut: number): Write {
  return database.update(alarmRecipients).set({ handedOut }).where(eq(alarmRecipients.id, id))
}

export type Person = {
  readonly id: number
  readonly email: string
  readonly language: string
  readonly timeZone: string
  readonly role: Role
  readonly isDisabled: boolean
}

/** The addresses and languages of users, by id. */
export async function listPeople(database: Database, ids: readonly number[]): Promise<readonly Person[]> {
  const rows = await database.all<Omit<Person, 'isDisabled'> & { readonly isDisabled: number }>(sql`
    select id, email, language, time_zone as timeZone, role, disabled_at is not null as "isDisabled" from users
    where id in ${elementsOf(ids)} order by id`)
  return rows.map((row) => ({ ...row, isDisabled: row.isDisabled === 1 }))
}

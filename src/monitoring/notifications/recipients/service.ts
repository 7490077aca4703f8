import { attempt } from '../../../access/attempts/service.ts'
import { audited, recorder } from '../../../access/audit/service.ts'
import { sealText } from '../../../access/session/keys.ts'
import type { Context } from '../../../context.ts'
import { commitIfMatch } from '../../../http/preconditions.ts'
import { Refusal, nameTaken, noSuch, stale } from '../../../lib/errors.ts'
import { addressLink, findFirstLink } from '../../alarms/service.ts'
import { commit, isNotNullViolation, isUniqueViolation, refuseFull } from '../../../ports/database.ts'
import type { IdExpression, Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import type { NewRecipientBody, RecipientBody, RecipientView, TestResult } from './schema.ts'
import { faultsOf } from './service/faults.ts'
import { changedTarget, enteredTarget, invalid } from './service/targets.ts'
import { shownOf, viewsOf } from './service/views.ts'
import { purposeOf, notifyAddressee } from './service/targets-of.ts'
import * as store from './store.ts'
import type { RecipientRow } from './store.ts'
import { shownTarget } from './target.ts'
import type { Target } from './target.ts'

const recorded = recorder('alarmRecipient')

const RECIPIENTS_MAX = 1_000
/** Tests of one recipient within 15 minutes. */
const TESTS_MAX = 10
/** Group members that one test notifies. */
const TESTED_MAX = 20

type Versioned = { readonly recipient: RecipientView; readonly version: number }

/** All recipients, by id. */
export async function listRecipients({ ports }: Context): Promise<RecipientView[]> {
  return viewsOf(ports, await store.listRecipients(ports.database))
}

/** @throws {Refusal} not_found */
export async function readRecipient({ ports }: Context, id: number): Promise<Versioned> {
  const row = await requireRecipient(ports, id)
  const [recipient] = await viewsOf(ports, [row])
  return { recipient: recipient as RecipientView, version: row.version }
}

/** Creates a recipient. The first recipient of an installation becomes the recipient of its first link and is notified
 * of open alarms.
 * @throws {Refusal} name_taken, invalid for an unreachable target or an unknown id, conflict when there are 1,000 */
export async function createRecipient(context: Context, body: NewRecipientBody): Promise<Versioned> {
  const { ports } = context
  const { target, secret } = enteredTarget(context, body, null)
  const row = await checked(context, body, target)
  const entry = recorded(context, 'create', { objectId: { inserted: true }, after: shownOf(row) })
  const linked = await linkedTo(context, row.name)
  const also = [entry, ...needsOf(ports, store.idOf(row.name), row, target), ...linked]
  const made = { ...row, createdAt: ports.clock.now() }
  const insert = async () => {
    try {
      return await store.insertRecipient(ports.database, made, { max: RECIPIENTS_MAX, also })
    } catch (error) {
      // The user or group of the recipient was deleted in the meantime.
      if (store.isNeeded(error)) await checked(context, body, target)
      throw error
    }
  }
  const full = `There are ${RECIPIENTS_MAX} recipients at most.`
  const id = await refuseFull('alarm_recipients', full, () => refuseTakenName(insert))
  if (linked.length > 0) await ports.flow.runDue()
  return withSecret(await readRecipient(context, id), secret)
}

/** The writes that make a new recipient the recipient of the first link, if no link has one. */
async function linkedTo(context: Context, name: string): Promise<readonly Write[]> {
  const { database, clock } = context.ports
  const link = await findFirstLink(database)
  if (!link) return []
  return [
    ...addressLink(database, link.id, { recipientId: store.idOf(name), at: clock.now() }),
    audited(context, {
      action: 'update alarm links',
      objectType: link.objectType,
      objectId: link.objectId,
      after: { links: [{ id: link.id, recipient: name }] },
    }),
  ]
}

/** Replaces a recipient; a target that is absent, or as it is shown, stays unchanged.
 * @throws {Refusal} not_found, name_taken, invalid, precondition_failed */
export async function updateRecipient(
  context: Context,
  id: number,
  { body, ifMatch }: { readonly body: RecipientBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { ports } = context
  const before = await requireRecipient(ports, id)
  if (ifMatch !== null && ifMatch !== before.version) throw stale('recipient')
  const { target, secret } = await changedTarget(context, before, body)
  const after = await checked(context, body, target)
  await refuseTakenName(() =>
    commit(ports.database, [
      store.updateRecipient(ports.database, before, after),
      recorded(context, 'update', { objectId: id, before: shownOf(before), after: shownOf(after) }),
      ...needsOf(ports, id, after, target),
    ]),
  )
  const version = before.version + 1
  const [recipient] = await viewsOf(ports, [{ ...before, ...after, version }])
  return withSecret({ recipient: recipient as RecipientView, version }, secret)
}

/** Adds a new secret to the answer that may show it. */
function withSecret({ recipient, version }: Versioned, secret: string | undefined): Versioned {
  return { recipient: secret === undefined ? recipient : { ...recipient, secret }, version }
}

/** Deletes a recipient with its messages. @throws {Refusal} not_found, conflict while alarm links or escalations of
 * others use it, because their alarms would silently have no receiver */
export async function deleteRecipient(context: Context, id: number): Promise<void> {
  const { database } = context.ports
  const row = await requireRecipient(context.ports, id)
  try {
    await commitIfMatch(context, { ...row, table: 'alarm_recipients' }, [
      ...store.deleteRecipient(database, id),
      ...needsOf(context.ports, id, row, null),
      recorded(context, 'delete', { objectId: id, before: shownOf(row) }),
    ])
  } catch (error) {
    if (!store.isNeeded(error)) throw error
    const { links, escalations } = await store.countNeeds(database, id)
    const named = `alarm links (${links}) and escalations of other recipients (${escalations})`
    throw new Refusal('conflict', `The recipient is used by ${named}. Change these first.`)
  }
}

/** Sends a test message at once, to each of the first 20 members of a group, and returns the result.
 * @throws {Refusal} not_found, too_many_attempts after 10 within 15 minutes */
export async function testRecipient(context: Context, id: number): Promise<TestResult> {
  const { ports } = context
  const { database, clock } = ports
  const row = await requireRecipient(ports, id)
  await attempt(ports, [{ key: `recipient ${id}`, max: TESTS_MAX, isShared: true }])
  const now = clock.now()
  const result = await testOnce(ports, row, now)
  await commit(database, [
    store.noteResult(database, id, { ...result, at: now }),
    recorded(context, 'test', { objectId: id, after: { status: result.status } }),
  ])
  return result
}

/** Notifies each group member separately, as alarms do, so that members do not see each other's addresses. */
async function testOnce(ports: Ports, row: RecipientRow, now: number): Promise<TestResult> {
  const members = await store.listPeople(ports.database, await store.listMembersOf(ports.database, row.id))
  const tried = members.length > 0 ? members.slice(0, TESTED_MAX) : [null]
  const outcomes = await Promise.all(
    tried.map((person) =>
      notifyAddressee(
        ports,
        { recipient: row, person },
        {
          key: `test_${row.id}_${person?.id ?? 0}_${now}`,
          createdAt: now,
          items: [{ ...SAMPLE, kind: 'test', beginAt: now }],
        },
      ),
    ),
  )
  const failures = outcomes.filter(({ kind }) => kind === 'failed')
  const status = failures.length > 0 ? 'failed' : 'ok'
  const detail = (failures[0] ?? outcomes[0])?.detail ?? ''
  if (members.length <= 1) return { status, detail }
  const counts = `${outcomes.length - failures.length} of ${members.length} members were notified.`
  return { status, detail: failures.length > 0 ? `${counts} ${detail}` : counts }
}

const SAMPLE = {
  silentSinceAt: null,
  timeoutMs: null,
  alarmId: 0,
  objectId: 1,
  objectType: 'group',
  objectName: 'root',
  objectPath: '/root',
  state: 'warning',
  worstState: 'warning',
  message: 'This is a test.',
  endAt: null,
} as const

/** The stored form of a body. @throws {Refusal} invalid for an unreachable target or an unknown id */
async function checked(
  { ports }: Context,
  body: NewRecipientBody | RecipientBody,
  target: Target,
): Promise<store.RecipientChange> {
  const { name, type: _type, target: _target, id: _id, lastResult: _lastResult, ...more } = body
  const { usedBy: _usedBy, warnings: _warnings, secret: _secret, ...rest } = more
  const rules = { ...rest, timeZone: rest.timeZone ?? ports.settings.timeZone }
  const faults = await faultsOf(ports, rules, target)
  if (faults.length > 0) throw invalid(faults)
  const sealed = await sealText(ports.secrets, JSON.stringify(target), purposeOf(target.type))
  const userId = target.type === 'user' ? target.userId : null
  const userGroupId = target.type === 'group' ? target.userGroupId : null
  const shown = shownTarget(target)
  return { name, type: target.type, target: sealed, shownTarget: shown, userId, userGroupId, rules }
}

/** The writes that record the script that a recipient depends on. */
function needsOf(
  { scripts }: Ports,
  ownerId: IdExpression,
  { name }: { readonly name: string },
  target: Target | null,
) {
  const needed = target?.type === 'script' ? [{ scriptId: target.scriptId, part: '', name }] : []
  return scripts.dependents({ kind: 'alarmRecipient', ownerId }, needed)
}

async function requireRecipient({ database }: Ports, id: number): Promise<RecipientRow> {
  const [row] = await store.listRecipients(database, [id])
  if (!row) throw noSuch('recipient')
  return row
}

async function refuseTakenName<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (isNotNullViolation(error, 'alarm_recipients.version')) throw stale('recipient')
    throw isUniqueViolation(error, 'alarm_recipients.name') ? nameTaken('recipient') : error
  }
}

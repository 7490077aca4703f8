import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { isUnread, useGet, useUrl } from '../../api/resource.ts'
import { IconButton } from '../../kit/controls.tsx'
import { Show, Undecided } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { objectLink } from '../../kit/location.ts'
import { rankOf, State } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import { countsText, worstFirst } from './member.ts'
import type { Member } from './member.ts'

const WARNING_RANK = 3
/** Members of members are drawn down to this depth. */
const DEPTH_MAX = 5

/** A member with its own members, which open where they decide the state. */
export function MemberRow({
  member,
  reasons,
  depth,
  actions,
}: {
  readonly member: Member
  readonly reasons: ReadonlySet<number>
  readonly depth: number
  readonly actions?: JSX.Element | false
}): JSX.Element {
  const { id, type, name, state, hasChildren } = member
  const isParent = hasChildren && depth < DEPTH_MAX
  const isReason = reasons.has(id)
  const isOnPath = usePath(member, isParent, reasons)
  const [chosen, setChosen] = useState<boolean | null>(null)
  const isOpen = isParent && (chosen ?? (isOnPath === true && !isReason))
  return (
    <li>
      <div class={['row wrap', isOnPath && 'reason', !isParent && 'leaf'].filter(Boolean).join(' ')}>
        {isParent && (
          <IconButton
            small
            icon="chevron"
            label={t(isOpen ? 'levels.closeMember' : 'levels.openMember', { name })}
            aria-expanded={isOpen}
            onClick={() => setChosen(!isOpen)}
          />
        )}
        <Icon name={type === 'slc' ? 'slo' : type} />
        <a class="grow cut" href={objectLink(type, id)}>
          {name}
        </a>
        <span class="label">{noteOf(member, isReason)}</span>
        <State state={state} />
        {actions}
      </div>
      {isOnPath === null && <Undecided />}
      {isOpen && <Below type={type} id={id} reasons={reasons} depth={depth + 1} />}
    </li>
  )
}

function Below({
  type,
  id,
  reasons,
  depth,
}: {
  readonly type: Member['type']
  readonly id: number
  readonly reasons: ReadonlySet<number>
  readonly depth: number
}): JSX.Element {
  const members = useGet('/{parentType}/{parentId}/children', { path: { parentType: type, parentId: id } }, [
    'state',
  ])
  return (
    <Show resource={members}>
      {({ items }) => (
        <ul>
          {worstFirst(items).map((member) => (
            <MemberRow key={member.id} member={member} reasons={reasons} depth={depth} />
          ))}
        </ul>
      )}
    </Show>
  )
}

/** Whether a member leads to what decides the state: it does, or an object below it. Null while that is being read. */
function usePath(
  { id, type, state }: Member,
  isParent: boolean,
  reasons: ReadonlySet<number>,
): boolean | null {
  const isAsked = isParent && rankOf(state) >= WARNING_RANK && type !== 'job' && type !== 'slc'
  const object = useUrl<{ readonly reasons?: readonly { readonly id: number }[] }>(
    isAsked ? `/${type}s/${id}` : null,
    ['state'],
  )
  if (reasons.has(id)) return true
  if (isUnread(object)) return null
  return object.data?.reasons?.some((reason) => reasons.has(reason.id)) === true
}

function noteOf(member: Member, isReason: boolean): string {
  const parts = [
    countsText(member),
    member.by === 'filter' && t('levels.byFilter'),
    isReason && t('levels.reason'),
  ]
  return parts.filter(Boolean).join(' · ')
}

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { IconButton } from '../../kit/controls.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { levelsChanged } from './changed.ts'
import { moved } from './member.ts'
import type { Member } from './member.ts'

/** Puts the linked members of a service into another order. Members by a filter stay after them.
 * @param links the linked members that the user may read */
export function OrderDialog({
  id,
  name,
  etag,
  links,
  onClose,
}: {
  readonly id: number
  readonly name: string
  readonly etag: string | undefined
  readonly links: readonly Member[]
  readonly onClose: () => void
}): JSX.Element {
  const [order, setOrder] = useState(links)
  const [said, say] = useState('')
  const move = (from: number, by: number): void => {
    const next = moved(order, from, by)
    const member = order[from]
    if (member === undefined) return
    setOrder(next)
    say(t('levels.movedTo', { name: member.name, place: next.indexOf(member) + 1, total: next.length }))
  }
  const save = async (): Promise<void> => {
    await call('put', '/{parentType}/{parentId}/children', {
      path: { parentType: 'slo', parentId: id },
      query: { mode: 'order' },
      body: { items: order.map((member) => ({ id: member.id })) },
      ifMatch: etag,
    })
    levelsChanged()
    toast({ text: t('edit.saved') })
  }
  const isSame = order.every((member, index) => member === links[index])
  return (
    <FormDialog
      title={t('levels.orderOf', { name })}
      submit={t('edit.save')}
      refused={isSame ? t('edit.unchanged') : undefined}
      onSubmit={save}
      onClose={onClose}
    >
      {() => (
        <>
          <ol class="rows">
            {order.map((member, index) => (
              <li
                key={member.id}
                class="row"
                onKeyDown={(event) => moveByKey(event, (by) => move(index, by))}
              >
                <span class="label">{index + 1}</span>
                <span class="grow cut">{member.name}</span>
                <IconButton
                  small
                  icon="up"
                  label={t('levels.moveUp', { name: member.name })}
                  refused={index === 0 ? t('levels.isFirst') : undefined}
                  onClick={() => move(index, -1)}
                />
                <IconButton
                  small
                  icon="down"
                  label={t('levels.moveDown', { name: member.name })}
                  refused={index === order.length - 1 ? t('levels.isLast') : undefined}
                  onClick={() => move(index, 1)}
                />
              </li>
            ))}
          </ol>
          <span class="vh" role="status">
            {said}
          </span>
        </>
      )}
    </FormDialog>
  )
}

/** Alt with an arrow moves the member whose button has the focus. */
function moveByKey(event: KeyboardEvent, move: (by: number) => void): void {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
  if (!event.altKey || by === undefined) return
  event.preventDefault()
  move(by)
}

import type { ComponentChildren, JSX } from 'preact'

import { Card, Table } from '../../../kit/data.tsx'
import { Icon } from '../../../kit/icons.tsx'
import { objectLink } from '../../../kit/location.ts'
import { rankOf, State } from '../../../kit/state.tsx'
import { t } from '../../../language/t.ts'
import { CurrentValue } from '../current-value.tsx'
import type { Node } from '../tree/branches.ts'
import { Roll, tally } from '../tree/roll.tsx'
import { ICONS } from '../tree/row.tsx'

/** A longer table would be slow; the tree draws only the rows in view. */
const SHOWN_MAX = 200

/** As large as most values are, so that no column moves when they come. */
const VALUE_BOX = {
  display: 'inline-flex',
  justifyContent: 'end',
  verticalAlign: 'middle',
  minWidth: '5rem',
  minHeight: '1lh',
}

const VALUE = {
  key: 'value',
  get title() {
    return t('objects.value')
  },
  figures: true,
  // The box of a value has its size before the value is read.
  cell: ({ type, id }: Node) =>
    type === 'job' ? (
      <span style={VALUE_BOX}>
        <CurrentValue id={id} />
      </span>
    ) : null,
}

const JOBS = {
  key: 'jobs',
  get title() {
    return t('objects.jobsBelow')
  },
  figures: true,
  cell: ({ counts }: Node) => (tally(counts).total > 0 ? <Roll counts={counts} /> : null),
}

/** Worse objects first, then as the tree has them. */
function worstFirst(children: readonly Node[]): readonly Node[] {
  return children.toSorted((a, b) => rankOf(b.state) - rankOf(a.state))
}

/** The objects directly below a place. */
export function ChildrenTable({
  items,
  stopped,
  empty,
  actions,
}: {
  readonly items: readonly Node[]
  readonly stopped: ReadonlySet<number>
  readonly empty: ComponentChildren
  readonly actions?: ComponentChildren
}): JSX.Element {
  const shown = worstFirst(items).slice(0, SHOWN_MAX)
  return (
    <Card
      title={t('objects.inside')}
      note={items.length > 0 && t('objects.insideNote')}
      actions={actions}
      footer={items.length > shown.length && t('objects.insideMore', { count: items.length - shown.length })}
    >
      {items.length === 0 ? (
        empty
      ) : (
        <Table
          label={t('objects.insideTable')}
          rows={shown}
          keyOf={({ id }) => id}
          columns={[
            {
              key: 'name',
              title: t('objects.name'),
              cell: (node) => (
                <span class="row">
                  <Icon name={ICONS[node.type]} />
                  <a href={objectLink(node.type, node.id)}>{node.name}</a>
                </span>
              ),
            },
            {
              key: 'state',
              title: t('objects.state'),
              cell: (node) => <State state={node.state} stopped={stopped.has(node.id)} look="plain" />,
            },
            {
              key: 'kind',
              title: t('objects.kind'),
              wide: true,
              cell: ({ type }) => <span class="quiet">{t(`objects.type.${type}`)}</span>,
            },
            ...(shown.some(({ type }) => type === 'job') ? [VALUE] : []),
            ...(shown.some(({ type }) => type !== 'job') ? [JOBS] : []),
          ]}
        />
      )}
    </Card>
  )
}

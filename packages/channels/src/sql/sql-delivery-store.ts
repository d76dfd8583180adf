import type { DeliveryReport } from '../channel/channel.ts';
import type { InboundMessage } from '../channel/inbound-message.ts';
import type { OutboundMessage } from '../channel/outbound-message.ts';
import type {
  DeliveryEnd,
  DeliveryStore,
  MessageBatch,
  StoredDelivery,
  StoredMessage,
} from '../delivery/delivery-store.ts';
import { createDeliveryTables } from './delivery-tables.ts';
import type { DeliveryTables } from './delivery-tables.ts';
import { columnNumber, columnText, readTablePrefix, SqlTables } from './sql-database.ts';
import type { SqlParameter, SqlResult, SqlStoreOptions } from './sql-database.ts';

type Row = SqlResult['rows'][number];

const MAX_REASON = 200;

/** Stores messages in SQLite, PostgreSQL, MariaDB or MySQL. Each step is one statement, except the deletion of a user: two. */
export class SqlDeliveryStore implements DeliveryStore {
  readonly specVersion = 1;
  readonly #tables: SqlTables;
  readonly #names: DeliveryTables;

  constructor(options: SqlStoreOptions) {
    const prefix = readTablePrefix(options, 'SqlDeliveryStore');
    this.#names = { inbound: `${prefix}channel_inbound`, outbound: `${prefix}channel_outbound` };
    this.#tables = new SqlTables(options, (dialect) => createDeliveryTables(this.#names, dialect));
  }

  async receive({ key, message, receivedAt, userId }: Omit<StoredMessage, 'batch'>): Promise<boolean> {
    const { channel, sender } = message;
    return this.#insert(this.#names.inbound, {
      message_key: key,
      user_id: userId,
      channel,
      sender,
      content: JSON.stringify(message),
      received_at: receivedAt,
    });
  }

  async begin(keys: readonly string[], { id, interruptId }: MessageBatch): Promise<void> {
    if (keys.length === 0) return;
    const sql = `UPDATE ${this.#names.inbound} SET batch_id = ?, interrupt_id = ? WHERE ${oneOf('message_key', keys)}`;
    await this.#tables.run(sql, [id, interruptId ?? null, ...keys]);
  }

  async finish(keys: readonly string[], at: number): Promise<void> {
    if (keys.length === 0) return;
    const sql = `UPDATE ${this.#names.inbound} SET content = NULL, finished_at = ? WHERE ${oneOf('message_key', keys)}`;
    await this.#tables.run(sql, [at, ...keys]);
  }

  async unfinished(): Promise<StoredMessage[]> {
    const sql = `SELECT message_key, user_id, content, batch_id, interrupt_id, received_at FROM ${this.#names.inbound}
      WHERE finished_at IS NULL ORDER BY seq`;
    return (await this.#tables.run(sql)).rows.map(toMessage);
  }

  async assign({ channel, sender }: { channel: string; sender: string }, userId: string): Promise<number> {
    // MySQL and MariaDB ignore spaces at the end when they compare texts, so the lengths are compared too.
    const sql = `UPDATE ${this.#names.inbound} SET user_id = ?
      WHERE user_id = '' AND finished_at IS NULL AND channel = ? AND sender = ? AND LENGTH(sender) = LENGTH(?)`;
    return (await this.#tables.run(sql, [userId, channel, sender, sender])).changes;
  }

  async put({ channel, createdAt, key, message, to, userId }: Omit<StoredDelivery, 'attempts'>): Promise<boolean> {
    return this.#insert(this.#names.outbound, {
      delivery_key: key,
      user_id: userId,
      channel,
      content: JSON.stringify({ to, message }),
      attempts: 0,
      created_at: createdAt,
      status: 'pending',
    });
  }

  async pending(): Promise<StoredDelivery[]> {
    const sql = `SELECT delivery_key, user_id, channel, content, attempts, created_at FROM ${this.#names.outbound}
      WHERE ended_at IS NULL ORDER BY seq`;
    return (await this.#tables.run(sql)).rows.map(toDelivery);
  }

  async attempted(key: string): Promise<void> {
    await this.#tables.run(`UPDATE ${this.#names.outbound} SET attempts = attempts + 1 WHERE delivery_key = ?`, [key]);
  }

  async settle(key: string, { at, reason, receiptId, status }: DeliveryEnd): Promise<void> {
    const sql = `UPDATE ${this.#names.outbound} SET content = NULL, status = ?, ended_at = ?, receipt_id = ?, reason = ?
      WHERE delivery_key = ?`;
    await this.#tables.run(sql, [status, at, receiptId ?? null, reason?.slice(0, MAX_REASON) ?? null, key]);
  }

  async report({ channel, id, reason, status }: DeliveryReport): Promise<void> {
    const sql = `UPDATE ${this.#names.outbound} SET status = ?, reason = ?
      WHERE channel = ? AND receipt_id = ? AND status <> 'pending' AND (status <> 'read' OR ? <> 'delivered')`;
    await this.#tables.run(sql, [status, reason?.slice(0, MAX_REASON) ?? null, channel, id, status]);
  }

  async status(key: string): Promise<{ status: string; reason?: string | undefined } | undefined> {
    const sql = `SELECT status, reason FROM ${this.#names.outbound} WHERE delivery_key = ?`;
    const [row] = (await this.#tables.run(sql, [key])).rows;
    if (!row) return undefined;
    return { status: columnText(row['status']), ...(row['reason'] !== null && { reason: columnText(row['reason']) }) };
  }

  async prune(before: number): Promise<number> {
    const { inbound, outbound } = this.#names;
    const messages = await this.#tables.run(`DELETE FROM ${inbound} WHERE finished_at < ?`, [before]);
    const deliveries = await this.#tables.run(`DELETE FROM ${outbound} WHERE ended_at < ?`, [before]);
    return messages.changes + deliveries.changes;
  }

  async deleteUser(userId: string): Promise<void> {
    for (const table of Object.values(this.#names) as string[])
      await this.#tables.run(`DELETE FROM ${table} WHERE user_id = ?`, [userId]);
  }

  /** Closes the database. */
  close(): Promise<void> {
    return this.#tables.close();
  }

  /** Inserts a row. Returns false if a row with this key exists. */
  async #insert(table: string, row: { readonly [column: string]: SqlParameter }): Promise<boolean> {
    const columns = Object.keys(row);
    const values = `INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    const isMySql = this.#tables.dialect === 'mysql';
    const sql = isMySql ? `INSERT IGNORE ${values}` : `INSERT ${values} ON CONFLICT DO NOTHING`;
    return (await this.#tables.run(sql, Object.values(row))).changes === 1;
  }
}

function oneOf(column: string, keys: readonly string[]): string {
  return `${column} IN (${keys.map(() => '?').join(', ')})`;
}

function toMessage(row: Row): StoredMessage {
  const interruptId = row['interrupt_id'] === null ? undefined : columnText(row['interrupt_id']);
  const id = row['batch_id'] === null ? undefined : columnText(row['batch_id']);
  return {
    key: columnText(row['message_key']),
    userId: columnText(row['user_id']),
    message: JSON.parse(columnText(row['content'])) as InboundMessage,
    receivedAt: columnNumber(row['received_at']),
    ...(id !== undefined && { batch: { id, ...(interruptId !== undefined && { interruptId }) } }),
  };
}

function toDelivery(row: Row): StoredDelivery {
  const { message, to } = JSON.parse(columnText(row['content'])) as { message: OutboundMessage; to: string };
  return {
    key: columnText(row['delivery_key']),
    userId: columnText(row['user_id']),
    channel: columnText(row['channel']),
    to,
    message,
    createdAt: columnNumber(row['created_at']),
    attempts: columnNumber(row['attempts']),
  };
}

import type { DeliveryReport } from '../channel/channel.ts';
import type { DeliveryEnd, DeliveryStore, MessageBatch, StoredDelivery, StoredMessage } from './delivery-store.ts';

interface InboundRecord {
  stored: StoredMessage | undefined;
  userId: string;
  finishedAt: number | undefined;
}
interface OutboundRecord {
  stored: StoredDelivery | undefined;
  userId: string;
  channel: string;
  end: DeliveryEnd | undefined;
  report?: DeliveryReport | undefined;
}

/** Stores messages in memory, for tests and demonstrations. They are lost when the process ends. */
export class InMemoryDeliveryStore implements DeliveryStore {
  readonly specVersion = 1;
  readonly #inbound = new Map<string, InboundRecord>();
  readonly #outbound = new Map<string, OutboundRecord>();

  async receive(message: Omit<StoredMessage, 'batch'>): Promise<boolean> {
    if (this.#inbound.has(message.key)) return false;
    const { userId } = message;
    this.#inbound.set(message.key, { stored: structuredClone(message), userId, finishedAt: undefined });
    return true;
  }

  async begin(keys: readonly string[], batch: MessageBatch): Promise<void> {
    for (const key of keys) {
      const { stored } = this.#inbound.get(key) ?? {};
      if (stored) stored.batch = { ...batch };
    }
  }

  async finish(keys: readonly string[], at: number): Promise<void> {
    for (const key of keys) {
      const record = this.#inbound.get(key);
      if (record) Object.assign(record, { stored: undefined, finishedAt: at });
    }
  }

  async unfinished(): Promise<StoredMessage[]> {
    return [...this.#inbound.values()].flatMap(({ stored }) => (stored ? [structuredClone(stored)] : []));
  }

  async assign({ channel, sender }: { channel: string; sender: string }, userId: string): Promise<number> {
    let count = 0;
    for (const record of this.#inbound.values()) {
      const { message } = record.stored ?? {};
      if (record.userId !== '' || message?.channel !== channel || message.sender !== sender) continue;
      record.stored!.userId = record.userId = userId;
      count++;
    }
    return count;
  }

  async put(delivery: Omit<StoredDelivery, 'attempts'>): Promise<boolean> {
    if (this.#outbound.has(delivery.key)) return false;
    const { userId, channel } = delivery;
    const stored = { ...structuredClone(delivery), attempts: 0 };
    this.#outbound.set(delivery.key, { stored, userId, channel, end: undefined });
    return true;
  }

  async pending(): Promise<StoredDelivery[]> {
    return [...this.#outbound.values()].flatMap(({ stored }) => (stored ? [structuredClone(stored)] : []));
  }

  async attempted(key: string): Promise<void> {
    const { stored } = this.#outbound.get(key) ?? {};
    if (stored) stored.attempts++;
  }

  async settle(key: string, end: DeliveryEnd): Promise<void> {
    const record = this.#outbound.get(key);
    if (record) Object.assign(record, { stored: undefined, end });
  }

  async report(report: DeliveryReport): Promise<void> {
    for (const record of this.#outbound.values()) {
      if (record.channel !== report.channel || record.end?.receiptId !== report.id) continue;
      const isLate = record.report?.status === 'read' && report.status === 'delivered';
      if (!isLate) record.report = report;
    }
  }

  async status(key: string): Promise<{ status: string; reason?: string | undefined } | undefined> {
    const record = this.#outbound.get(key);
    if (!record) return undefined;
    return record.report ?? record.end ?? { status: 'pending' };
  }

  async prune(before: number): Promise<number> {
    let count = 0;
    for (const [key, { finishedAt }] of this.#inbound)
      if (finishedAt !== undefined && finishedAt < before && this.#inbound.delete(key)) count++;
    for (const [key, { end }] of this.#outbound) if (end && end.at < before && this.#outbound.delete(key)) count++;
    return count;
  }

  async deleteUser(userId: string): Promise<void> {
    for (const records of [this.#inbound, this.#outbound])
      for (const [key, record] of records) if (record.userId === userId) records.delete(key);
  }
}

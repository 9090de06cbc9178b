// Made by tools/typescript.py from the OpenAPI document; edit the capabilities instead, then run make reference.

import type { CallOptions } from "./options.js";

/** A ledger entry: who did what to which memory, when, through which surface, and why. */
export interface ActivityView {
  seq: number;
  activity: string;
  action: string;
  outcome: string;
  target: string | null;
  actor: string;
  channel: string;
  at: string;
  reason: string | null;
  detail: Record<string, unknown>;
}

export interface AddAgentRequest {
  /** The name of the agent, for example claude-code. */
  name: string;
  /** admin: everything; project: its own projects, and reads global; skill: only what is shared with it. Default: "project". */
  role?: Role;
  /** The projects it works in. Default: the caller's project. */
  projects?: readonly string[] | null;
  /** The repos it works in. Default: the caller's repo. */
  repos?: readonly string[] | null;
  /** The teams it belongs to. */
  teams?: readonly string[] | null;
  /** Maximum writes per minute. Default: the setting. */
  writes_per_minute?: number | null;
  /** Maximum requests per second. Default: the setting. */
  requests_per_second?: number | null;
}

/** An agent after a change. */
export interface AgentAnswer {
  agent: AgentView;
  token: string | null;
  seq: number;
  /** Default: true. */
  changed: boolean;
}

/** An agent, with its role and permissions. */
export interface AgentView {
  name: string;
  principal: string;
  role: Standing;
  projects: string[];
  repos: string[];
  teams: string[];
  has_token: boolean;
  writes_per_minute: number | null;
  requests_per_second: number | null;
  created_at: string;
  changed_at: string;
}

/** Agents. */
export interface AgentsAnswer {
  items: AgentView[];
  next_cursor: string | null;
}

export type AgentsRequest = Record<string, never>;

export interface ApproveRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** Why it is approved. Default: "approved". */
  reason?: string;
  /** For a decision without a rationale: why it was decided. */
  rationale?: string | null;
  /** A better wording. Default: unchanged. */
  content?: string | null;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface BackupAnswer {
  path: string;
  entries: number;
  bytes: number;
  head: string;
}

export interface BackupRequest {
  /** The file to write. */
  path: string;
  /** Whether to overwrite an existing file. Default: false. */
  overwrite?: boolean;
}

/** The outcomes of a batch of writes. */
export interface BatchAnswer {
  counts: Record<string, number>;
  answers: WriteAnswer[];
}

export interface CancelRequest {
  /** The id of a job. */
  job: string;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** What was captured, and what was there already. */
export interface CaptureAnswer {
  outcome: CaptureOutcome;
  thread: string;
  sources: string[];
  captured: number;
  known: number;
  job: string | null;
  notes: string[];
  seq: number;
}

export interface CaptureConversationRequest {
  /** Notes or a summary of the conversation. */
  content?: string | null;
  /** The messages of a conversation in order: objects with content, and optionally role, name and at. */
  messages?: readonly MessageInput[] | null;
  /** What you provide: the messages themselves, notes, or a summary. Default: "transcript". */
  capture_mode?: "notes" | "summary" | "transcript";
  /** The conversation's id. */
  thread?: string | null;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** When it took place. Default: now. */
  occurred_at?: string | null;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export type CaptureOutcome = "captured" | "unchanged";

export interface CaptureRequest {
  /** A text to store as evidence, word for word. */
  content?: string | null;
  /** The messages of a conversation in order: objects with content, and optionally role, name and at. */
  messages?: readonly MessageInput[] | null;
  /** The conversation or document it belongs to. Default: the source, or a new one. */
  thread?: string | null;
  /** The title. */
  title?: string | null;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** The kind of source. Default: conversation for messages, otherwise document. */
  kind?: SourceKind | null;
  /** Who said or wrote the text. */
  speaker?: string | null;
  /** When it was said or written. Default: now. */
  occurred_at?: string | null;
  /** Who may see it. */
  visibility?: Visibility | null;
  /** Whether to extract memories from it later. Default: the setting. */
  extract?: boolean | null;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface CaptureSessionRequest {
  /** The messages of the session, in order. */
  messages: readonly MessageInput[];
  /** The session's id. Default: the caller's session. */
  session?: string | null;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export type Cause = "chatter" | "contradiction" | "deleted" | "document_changed" | "document_gone" | "doubtful" | "extracted" | "imported" | "insight" | "needs_rationale" | "needs_rationale_and_source" | "needs_source" | "not_allowed" | "opinion" | "peer" | "pending_elsewhere" | "personal" | "protected" | "quarantine" | "rejected_before" | "replaced" | "retired" | "stale" | "unused";

/** One message of a chat. */
export interface ChatMessage {
  role: string;
  content: string;
}

/** A source of an entry in the bundle. */
export interface Citation {
  id: string;
  source: string | null;
  kind: string;
  reference: string | null;
  author: string;
}

/** The result of a compaction, or of its dry run. */
export interface CompactAnswer {
  dry_run: boolean;
  counts: Record<string, number>;
  job: JobView | null;
}

export interface CompactRequest {
  /** Archive memories below this confidence that no person has verified. Default: 0.3. */
  min_confidence?: number;
  /** Archive stale memories up to this staleness policy. Default: "weekly". */
  max_staleness?: Staleness;
  /** Only this scope. Default: all scopes, each separately. */
  scope?: string | null;
  /** Only report what would change. Default: false. */
  dry_run?: boolean;
}

/** A conflict with both memories. */
export interface ConflictItem {
  conflict: ConflictView;
  old: MemoryView;
  new: MemoryView;
}

export type ConflictKind = "contradiction" | "duplicate" | "update";

export type ConflictStatus = "pending" | "settled";

/** A conflict, pending or resolved. */
export interface ConflictView {
  id: string;
  kind: ConflictKind;
  scope: string;
  finding: string;
  old: string;
  new: string;
  weaker: string;
  status: ConflictStatus;
  disposition: Disposition | null;
  resolved_by: string | null;
  reason: string | null;
  merged: string | null;
  recorded_from: string;
  recorded_to: string | null;
}

/** Conflicts. */
export interface ConflictsAnswer {
  items: ConflictItem[];
  next_cursor: string | null;
}

export interface ConflictsRequest {
  /** Whether to include resolved conflicts. Default: false. */
  settled?: boolean;
  /** Maximum number of items. Default: 50. */
  limit?: number;
  /** The next_cursor of the previous page. */
  cursor?: string | null;
}

/** The changes that a consolidation made, or would make. */
export interface ConsolidateAnswer {
  dry_run: boolean;
  counts: Record<string, number>;
  changes: Consolidated[];
  job: JobView | null;
}

export interface ConsolidateRequest {
  /** Only this scope. Default: all scopes, each separately. */
  scope?: string | null;
  /** Only report what would change. Default: false. */
  dry_run?: boolean;
}

/** A change that consolidation made, or would make. */
export interface Consolidated {
  outcome: string;
  memory: string;
  content: string;
  merged: string | null;
  linked: string[];
  reason: string;
  entry: number | null;
}

/** The context for a task: general knowledge, knowledge relevant to the task, and the sources of both. */
export interface ContextBundle {
  recall_id: string;
  task: string | null;
  scopes: string[];
  profile: RecallResult[];
  decisions: RecallResult[];
  conventions: RecallResult[];
  facts: RecallResult[];
  episodes: RecallResult[];
  evidence: RecallResult[];
  citations: Citation[];
  block: string;
  injected: string[];
  tokens: number;
  notes: string[];
  note_codes: NoteCode[];
}

export interface ContextForRequest {
  /** The task. Default: none, only the start of a session. */
  task?: string | null;
  /** The project of the task. Default: the caller's project. */
  project?: string | null;
  /** The repository of the task. Default: the caller's repository. */
  repo?: string | null;
  /** The agent that will do the task. A person can name any agent, an agent only itself. */
  agent?: string | null;
  /** Maximum number of memories. Default: 10. */
  limit?: number;
  /** Maximum number of tokens of the whole block. Default: 4,000. Entries that do not fit are shortened, then dropped. */
  max_tokens?: number | null;
  /** Detail of each entry: one line (L0), a summary (L1) or everything (L2). Default: "L2". */
  detail?: "L0" | "L1" | "L2";
}

export interface CorrectRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** The correct statement. */
  content: string;
  /** Why; the history keeps it. */
  reason: string;
  /** How well the evidence supports it, 0 to 1. Default: derived from strength. */
  confidence?: number | null;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** For a decision: the new rationale. */
  rationale?: string | null;
  /** For programs: the value was only replaced or deleted, not found to be wrong. */
  cause?: RetractionCause | null;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export type Detail = "L0" | "L1" | "L2";

/** What changed, by kind of change. */
export interface DiffAnswer {
  since: string;
  until: string;
  added: MemoryView[];
  corrected: ActivityView[];
  retracted: ActivityView[];
  linked: ActivityView[];
  other: ActivityView[];
}

export interface DiffRequest {
  /** Start: 2026-05-17, '3 days ago', or a ledger entry such as #120. */
  since: string;
  /** End. Default: now. */
  until?: string | null;
  /** The topic of the memory. */
  topic?: string | null;
  /** Whether to include corrections and retractions. Default: true. */
  include_corrections?: boolean;
  /** Only these scopes. Default: the caller's own scopes. */
  scopes?: readonly string[] | null;
  /** Only memories that were true at this time. */
  valid_at?: string | null;
  /** Maximum number of items. Default: 1000. */
  limit?: number;
}

/** How a conflict was settled. */
export type Disposition = "keep_both" | "keep_new" | "keep_old" | "merge" | "remove_both";

export interface DropViewRequest {
  /** The name of the view. */
  name: string;
  /** For a person: the author of the view, if several authors have one of this name. */
  author?: string | null;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface EarlierSummary {
  text: string;
  made_at: string;
  replaced_at: string | null;
}

/** An event. */
export interface Event {
  id: string;
  event: EventName;
  at: string;
  by: string;
  payload: Record<string, unknown>;
}

/** The kinds of events. */
export type EventName = "memory:compact" | "memory:flush" | "memory:read" | "memory:search" | "memory:write";

/** Events after a position, in order. */
export interface EventsAnswer {
  items: Event[];
  next_cursor: string;
}

export interface EventsRequest {
  /** The id of the last event seen. Default: list the newest events. */
  after?: string | null;
  /** Only these events. */
  names?: readonly EventName[] | null;
  /** Maximum number of events. Default: 20. */
  limit?: number;
}

/** A memory or a source at the requested level of detail. */
export interface ExpandAnswer {
  id: string;
  what: Expanded;
  kind: string;
  title: string | null;
  scope: string;
  detail: Detail;
  text: string;
  tokens: number;
  evidence: SourceView[];
  around: PassageView[];
  notes: string[];
}

export interface ExpandRequest {
  /** The id of a memory or of a source. */
  ref: string;
  /** Detail of each entry: one line (L0), a summary (L1) or everything (L2). Default: "L2". */
  detail?: "L0" | "L1" | "L2";
  /** For a message or a passage: how many to show before and after it. Default: 2. */
  around?: number;
  /** The number of a passage: show only this one of the source. */
  passage?: number | null;
}

export type Expanded = "memory" | "source";

export interface ExplainRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** How many steps to follow the memories it replaced or was derived from. Default: 3. */
  depth?: number;
  /** The state at an earlier time: 2026-05-17, '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
  /** Only memories that were true at this time. */
  valid_at?: string | null;
}

/** The author, time, evidence and changes of a memory, what it replaced and what replaced it. */
export interface Explanation {
  memory: MemoryView;
  story: string;
  provenance: Provenance;
  evidence: SourceView[];
  activities: ActivityView[];
  replaces: Explanation[];
  replaced_by: Explanation[];
  derived_from: Explanation[];
  links: LinkView[];
  conflicts: ConflictView[];
  rejected: RejectedValue[];
}

export interface ExportAnswer {
  path: string;
  entries: number;
  bytes: number;
  head: string;
}

export interface ExportRequest {
  /** The file to write. */
  path: string;
  /** The state at an earlier time: 2026-05-17, '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
  /** Whether to overwrite an existing file. Default: false. */
  overwrite?: boolean;
}

/** The outcome: noted, undone, or unchanged if there was nothing to change. */
export interface FeedbackAnswer {
  outcome: FeedbackOutcome;
  recall_id: string;
  used: string[];
  ignored: string[];
  moved: Record<string, number>;
  seq: number;
}

export type FeedbackOutcome = "noted" | "unchanged" | "undone";

export interface FeedbackRequest {
  /** The recall_id from the answer of a recall. */
  recall_id: string;
  /** The answer that was given; each recalled memory is looked for in it. */
  answer?: string | null;
  /** Ids of the results that were used, whatever the answer says. */
  used?: readonly string[] | null;
  /** Ids of the results that were not useful. */
  ignored?: readonly string[] | null;
  /** Undo the last feedback on this recall. Default: false. */
  undo?: boolean;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** The feedback on a recall. */
export interface FeedbackView {
  by: string;
  at: string;
  used: string[];
  ignored: string[];
  moved: Record<string, number>;
  seq: number;
}

export interface ForgetRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** Why; the history keeps it. */
  reason: string;
  /** For programs: the value was only replaced or deleted, not found to be wrong. */
  cause?: RetractionCause | null;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface GetAnswer {
  memory: MemoryView;
  evidence: SourceView[];
  links: LinkView[];
  conflicts: ConflictView[];
  since: Replacement | null;
}

export interface GetRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** The state at an earlier time: 2026-05-17, '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
  /** Only memories that were true at this time. */
  valid_at?: string | null;
}

export type Grain = "claim" | "text";

/** Messages for the caller that have not expired, newest first. */
export interface HandedAnswer {
  items: HandedMessage[];
  next_cursor: string | null;
}

/** The context for the receiver. */
export interface HandedContext {
  memory_snippet: string;
  project_context: string | null;
  memories: HandedMemory[];
  gone: number;
}

/** A shared memory, in its current version. */
export interface HandedMemory {
  id: string;
  kind: Kind;
  content: string;
  confidence: number;
}

/** A message between agents. */
export interface HandedMessage {
  id: string;
  from: string;
  to: string;
  type: MessageType;
  payload: HandedPayload;
  created_at: string;
  expires_at: string;
}

/** The requested action and its context. */
export interface HandedPayload {
  action: string;
  context: HandedContext;
}

export interface HandedRequest {
  /** Maximum number of items. Default: 50. */
  limit?: number;
  /** The next_cursor of the previous page. */
  cursor?: string | null;
}

/** Every version of a memory, oldest first, with its ledger entries. */
export interface HistoryAnswer {
  memory: string;
  versions: MemoryView[];
  entries: ActivityView[];
}

export interface HistoryRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** The state at an earlier time: 2026-05-17, '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
}

/** The result of an import: `replayed` with its history, or `proposed` memory by memory. */
export interface ImportAnswer {
  how: ImportWay;
  entries: number;
  counts: Record<string, number>;
  refused: string[];
}

export interface ImportRequest {
  /** The file to read. */
  path: string;
}

export type ImportWay = "proposed" | "replayed";

/** Memories in the inbox. */
export interface InboxAnswer {
  items: InboxItem[];
  next_cursor: string | null;
}

/** A memory in the inbox, why it waits there, and its evidence. */
export interface InboxItem {
  memory: MemoryView;
  waits_because: string;
  cause: PendingCause | null;
  evidence: SourceView[];
  conflicts: ConflictView[];
  opposes: MemoryView[];
}

export interface InboxRequest {
  /** Only memories of these kinds. */
  kinds?: readonly Kind[] | null;
  /** Only these scopes. Default: the caller's own scopes. */
  scopes?: readonly string[] | null;
  /** Maximum number of items. Default: 50. */
  limit?: number;
  /** The next_cursor of the previous page. */
  cursor?: string | null;
}

/** What was found and imported. */
export interface IngestAnswer {
  format: string;
  documents: number;
  conversations: number;
  turns: number;
  memories: Record<string, number>;
  unchanged: number;
  expired: number;
  returned: number;
  left_out: number;
  details: LeftOut[];
  jobs: string[];
}

export interface IngestRequest {
  /** A file, a folder or a zip file on this machine. */
  path: string;
  /** The format. Default: detected from the content. */
  source_format?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** Who may see it. */
  visibility?: Visibility | null;
  /** Whether to extract memories from it later. Default: the setting. */
  extract?: boolean | null;
}

/** A block of recalled memory for a prompt; empty if there is no good match. */
export interface InjectAnswer {
  block: string;
  recall_id: string;
  injected: string[];
  tier: Tier;
  tokens: number;
  notes: string[];
  note_codes: NoteCode[];
  messages: ChatMessage[];
}

export interface InjectRequest {
  /** Only these scopes. Default: the caller's own scopes. */
  scopes?: readonly string[] | null;
  /** Only memories of these kinds. */
  kinds?: readonly Kind[] | null;
  /** The user's message or question, in plain words. */
  context: string;
  /** The last messages, oldest first; a follow-up question is completed from them. */
  messages?: readonly string[] | null;
  /** The chat so far (role and content of each message); the block is inserted into it. */
  chat?: readonly ChatMessage[] | null;
  /** Maximum number of memories. Default: 10. */
  limit?: number;
  /** Maximum number of tokens of the whole block. Default: 4,000. Entries that do not fit are shortened, then dropped. */
  max_tokens?: number | null;
  /** Faster: at most five memories, found by keyword search only. Default: false. */
  under_budget?: boolean;
  /** What the block contains: summaries of up to three categories, the items, or (auto) summaries if they cover the items. Default: "auto". */
  tier?: "auto" | "items" | "summaries";
  /** Detail of each entry: one line (L0), a summary (L1) or everything (L2). Default: "L2". */
  detail?: "L0" | "L1" | "L2";
  /** The topic of the memory. */
  topic?: string | null;
  /** What to search: memory, items (entities, claims and artifacts), sources (captured documents), sessions (captured conversations). Default: all but sessions. */
  within?: readonly ("items" | "memory" | "sessions" | "sources")[] | null;
  /** The state at an earlier time: 2026-05-17, '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
}

/** A job with its full result. */
export interface JobAnswer {
  job: JobView;
  arguments: Record<string, unknown>;
  outcome: Record<string, unknown>;
}

export interface JobRequest {
  /** The id of a job. */
  job: string;
}

export type JobState = "cancelled" | "done" | "failed" | "running" | "suspended" | "waiting";

/** A job: its name, who requested it, its progress and its result. */
export interface JobView {
  id: string;
  name: string;
  about: string | null;
  scope: string;
  asked_by: string;
  trigger: string;
  state: JobState;
  done: number;
  total: number;
  tries: number;
  due_at: string;
  error: string | null;
  note: string | null;
  counts: Record<string, number>;
  created_at: string;
  finished_at: string | null;
}

/** Jobs, newest first. */
export interface JobsAnswer {
  items: JobView[];
  next_cursor: string | null;
  waiting: number;
  running: number;
  failed: number;
  suspended: number;
}

export interface JobsRequest {
  /** Only jobs with these names, for example extract. */
  names?: readonly string[] | null;
  /** Only jobs in these states. */
  states?: readonly JobState[] | null;
  /** Maximum number of items. Default: 20. */
  limit?: number;
  /** The next_cursor of the previous page. */
  cursor?: string | null;
}

/** What sort of belief a memory is. */
export type Kind = "artifact" | "claim" | "convention" | "decision" | "entity" | "episode" | "insight" | "lesson" | "note" | "pattern" | "preference" | "profile" | "project" | "task_hint";

export interface LearnManyRequest {
  /** A list of objects with the arguments of learn. */
  memories: readonly NewMemory[];
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface LearnRequest {
  /** The statement to remember, in plain words. */
  content: string;
  /** How well the evidence supports it, 0 to 1. Default: derived from strength. */
  confidence?: number | null;
  /** The topic of the memory. */
  topic?: string | null;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** How soon it goes stale. */
  staleness?: Staleness | null;
  /** The kind of memory. Default: "note". */
  kind?: Kind;
  /** A short title. Default: the first sentence. */
  title?: string | null;
  /** A summary, for a long memory. */
  summary?: string | null;
  /** Why it was decided. A decision stays in the inbox until it has one. */
  rationale?: string | null;
  /** An area of life or work: work, health, preferences, ... */
  category?: string | null;
  /** How directly the evidence states it. Default: "explicit". */
  strength?: Strength;
  /** Who may see it. */
  visibility?: Visibility | null;
  /** The passage it was taken from, stored as evidence. */
  source_text?: string | null;
  /** The kind of source. Default: "manual". */
  source_kind?: SourceKind;
  /** When it became true. */
  valid_from?: string | null;
  /** When it stops being true. */
  valid_to?: string | null;
  /** When it was observed. Default: now. */
  observed_at?: string | null;
  /** If it contradicts an existing memory: wait in the inbox, refuse it, or keep both. */
  on_conflict?: "coexist" | "refuse" | "wait" | null;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** Something that was not imported, and why. */
export interface LeftOut {
  path: string;
  reason: string;
}

export interface LinkAnswer {
  outcome: LinkOutcome;
  link: LinkView;
  reason: string;
  seq: number;
}

export type LinkOutcome = "linked" | "unchanged" | "unlinked";

export interface LinkRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** Another memory, by id or IRI, or any IRI. */
  to: string;
  /** causes, requires, contradicts, supports, supersedes, applies_to, derived_from, related_to, overrides, or a word of your own. Default: "related_to". */
  relationship?: string;
  /** Why they are related. */
  reason?: string | null;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** A link. */
export interface LinkView {
  id: string;
  from_memory: string;
  to: string;
  relationship: string;
  author: string;
  reason: string | null;
  recorded_from: string;
  recorded_to: string | null;
}

/** Memories. */
export interface ListAnswer {
  items: MemoryView[];
  next_cursor: string | null;
}

export interface ListRequest {
  /** Only these scopes. Default: the caller's own scopes. */
  scopes?: readonly string[] | null;
  /** Only these statuses. Default: active. */
  statuses?: readonly Status[] | null;
  /** Only these kinds. */
  kinds?: readonly Kind[] | null;
  /** The topic of the memory. */
  topic?: string | null;
  /** Only memories of this project. */
  project?: string | null;
  /** Only memories of this repo. */
  repo?: string | null;
  /** Only memories by this author, for example agent:codex. */
  agent?: string | null;
  /** Maximum number of items. Default: 50. */
  limit?: number;
  /** The next_cursor of the previous page. */
  cursor?: string | null;
  /** The state at an earlier time: 2026-05-17, '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
  /** Only memories that were true at this time. */
  valid_at?: string | null;
}

export type MaintainRequest = Record<string, never>;

/** A memory. */
export interface MemoryView {
  id: string;
  iri: string;
  kind: Kind;
  title: string;
  content: string;
  summary: string | null;
  rationale: string | null;
  scope: string;
  project_id: string | null;
  repo_id: string | null;
  visibility: Visibility;
  status: Status;
  confidence: number;
  strength: Strength;
  sentiment: Tone;
  topic: string | null;
  category: string | null;
  staleness: Staleness;
  stale: boolean;
  agent: string;
  human_verified: boolean;
  verified_by: string | null;
  valid_from: string | null;
  valid_to: string | null;
  observed_at: string;
  created_at: string;
  updated_at: string;
  recorded_from: string;
  recorded_to: string | null;
  version: number;
  change: string;
  changed_by: string;
  reason: string | null;
  cause: Cause | null;
}

export interface MergeRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** The memory to merge into it, by id or IRI. */
  other: string;
  /** Why they are merged. Default: "both say the same". */
  reason?: string;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** One turn of a conversation. */
export interface MessageInput {
  content: string;
  /** Default: "user". */
  role?: string;
  name?: string | null;
  /** A time: 2026-05-17, 2026-05-17T09:30:00Z or '3 days ago'. */
  at?: string | null;
}

export type MessageType = "event" | "request" | "response";

/** A memory to learn: the request of `learn`, and one item of `learn_many`. */
export interface NewMemory {
  /** The statement to remember, in plain words. */
  content: string;
  /** How well the evidence supports it, 0 to 1. Default: derived from strength. */
  confidence?: number | null;
  /** The topic of the memory. */
  topic?: string | null;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** How soon it goes stale. */
  staleness?: Staleness | null;
  /** The kind of memory. Default: "note". */
  kind?: Kind;
  /** A short title. Default: the first sentence. */
  title?: string | null;
  /** A summary, for a long memory. */
  summary?: string | null;
  /** Why it was decided. A decision stays in the inbox until it has one. */
  rationale?: string | null;
  /** An area of life or work: work, health, preferences, ... */
  category?: string | null;
  /** How directly the evidence states it. Default: "explicit". */
  strength?: Strength;
  /** Who may see it. */
  visibility?: Visibility | null;
  /** The passage it was taken from, stored as evidence. */
  source_text?: string | null;
  /** The kind of source. Default: "manual". */
  source_kind?: SourceKind;
  /** When it became true. */
  valid_from?: string | null;
  /** When it stops being true. */
  valid_to?: string | null;
  /** When it was observed. Default: now. */
  observed_at?: string | null;
  /** If it contradicts an existing memory: wait in the inbox, refuse it, or keep both. */
  on_conflict?: "coexist" | "refuse" | "wait" | null;
}

export type NoteCode = "from_elsewhere" | "index_missing" | "model_unavailable" | "not_in_block" | "nothing_good" | "over_budget" | "read_as" | "reranker_failed" | "sessions_not_searched" | "shortened" | "vectors_failed" | "vectors_missing";

/** A piece of captured evidence: a message of a conversation, or a part of a document. */
export interface PassageView {
  number: number;
  source_id: string;
  kind: SourceKind;
  text: string;
  reference: string | null;
  title: string | null;
  thread: string | null;
  place: number | null;
  speaker: string | null;
  author: string;
  scope: string;
  occurred_at: string | null;
  recorded_at: string;
}

export type PendingCause = "contradiction" | "extracted" | "imported" | "insight" | "needs_rationale" | "needs_rationale_and_source" | "needs_source" | "opinion" | "peer" | "pending_elsewhere" | "personal" | "protected" | "quarantine";

/** One thing that does not agree. */
export interface Problem {
  what: string;
  where: string;
  detail: string;
}

/** What went wrong, as RFC 9457 says it, with our code, field and hint. */
export interface ProblemDetails {
  /** A name for this sort of problem, the same everywhere. */
  type: string;
  /** The same in words. */
  title: string;
  /** The status of the answer. */
  status: number;
  /** What went wrong this time. */
  detail: string;
  /** What went wrong, in a word that stays the same: invalid_input, busy, ... */
  code: string;
  /** The argument that is meant. */
  field: string | null;
  /** What to do next. */
  hint: string | null;
  /** This request, by the id that its header Heldtrue-Request and the server's log have too. */
  instance: string | null;
}

export type ProfileName = "brain" | "default" | "dual" | "hybrid" | "rank";

/** The provenance in PROV-O terms. */
export interface Provenance {
  "prov:wasGeneratedBy": string;
  "prov:wasAttributedTo": string;
  "prov:generatedAtTime": string;
  "prov:wasInvalidatedBy": string | null;
  "prov:wasDerivedFrom": string[];
}

/** What changed with a source that was quarantined or released. */
export interface QuarantineAnswer {
  outcome: QuarantineOutcome;
  source: string;
  passages: number;
  memories: string[];
  conflicts: string[];
  reason: string;
  seq: number;
}

export type QuarantineOutcome = "quarantined" | "released";

export interface QuarantineRequest {
  /** The id of a source, as shown by explain and capture. */
  source: string;
  /** Why; the history keeps it. */
  reason: string;
  /** Release it instead. Default: false. */
  release?: boolean;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** The results, best first, with notes about the search. */
export interface RecallAnswer {
  recall_id: string;
  as_of: string | null;
  rewritten: string | null;
  profile: ProfileName;
  results: RecallResult[];
  notes: string[];
  note_codes: NoteCode[];
}

/** A line of the recall log. */
export interface RecallItem {
  id: string;
  at: string;
  by: string;
  channel: string;
  verb: string;
  question: string;
  tier: Tier;
  found: number;
}

export interface RecallRequest {
  /** Only these scopes. Default: the caller's own scopes. */
  scopes?: readonly string[] | null;
  /** Only memories of these kinds. */
  kinds?: readonly Kind[] | null;
  /** Minimum confidence. Default: 0.0. */
  min_confidence?: number;
  /** Maximum age since it was observed: 7d, 36h, 2 weeks. */
  max_age?: string | null;
  /** Maximum number of results. Default: 10. */
  limit?: number;
  /** The question, in plain words. */
  context: string;
  /** A topic; memories of this topic rank higher. */
  topic?: string | null;
  /** What to search: memory, items (entities, claims and artifacts), sources (captured documents), sessions (captured conversations). Default: all but sessions. */
  within?: readonly ("items" | "memory" | "sessions" | "sources")[] | null;
  /** Ids of memories; memories linked to them rank higher. */
  near?: readonly string[] | null;
  /** The ranking profile. Default: the setting. */
  profile?: "brain" | "default" | "dual" | "hybrid" | "rank" | null;
  /** Weights for parts of the score, 0 to 10, for example {"recency": 2}. */
  weights?: Record<string, number> | null;
  /** The last messages, oldest first; a follow-up question is completed from them. */
  messages?: readonly string[] | null;
  /** Number of messages to show before and after a hit in a conversation. Default: 0. */
  around?: number;
  /** Maximum number of results from one document. Default: 3. */
  per_source?: number;
  /** If your own scopes have no match: also show very good matches from other projects. Default: false. */
  elsewhere?: boolean;
  /** Maximum number of tokens in the results; results that do not fit are dropped. */
  max_tokens?: number | null;
  /** The state at an earlier time: 2026-05-17, '3 days ago', or a ledger entry such as #120. */
  as_of?: string | null;
  /** Only memories that were true at this time. */
  valid_at?: string | null;
}

/** A memory or a passage of evidence, with its score, its evidence and why it was chosen. */
export interface RecallResult {
  memory: MemoryView | null;
  passage: PassageView | null;
  score: number;
  breakdown: Record<string, number>;
  matched_scope: string;
  evidence: SourceView[];
  trust: TrustView[];
  explanation: string;
  folded: string[];
  around: PassageView[];
  since: Replacement | null;
}

export type Recalled = "memory" | "passage";

/** A result of a recall. */
export interface RecalledView {
  id: string;
  what: Recalled;
  content: string | null;
  score: number;
  parts: Record<string, number>;
  injected: boolean;
  used: boolean | null;
}

/** Logged recalls. */
export interface RecallsAnswer {
  items: RecallItem[];
  next_cursor: string | null;
}

export interface RecallsRequest {
  /** Maximum number of items. Default: 50. */
  limit?: number;
  /** The next_cursor of the previous page. */
  cursor?: string | null;
}

export interface ReindexAnswer {
  versions: number;
}

export type ReindexRequest = Record<string, never>;

export interface RejectRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** Why; the history keeps it. */
  reason: string;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** A rejected value, and when the rejection was lifted, if it was. */
export interface RejectedValue {
  grain: Grain;
  scope: string;
  reason: string;
  by: string;
  at: string;
  lifted_at: string | null;
  lifted_by: string | null;
  lift_reason: string | null;
}

/** How a memory changed after the `as_of` time. */
export interface Replacement {
  status: Status;
  at: string;
  by: string;
  reason: string | null;
  replaced_by: string | null;
  content: string | null;
}

/** What a verification found. */
export interface Report {
  ok: boolean;
  entries: number;
  records: number;
  head: string;
  problems: Problem[];
  notes: string[];
}

export interface RescueRequest {
  /** The id of a job. */
  job: string;
  /** The number of the candidate, as shown by `job`, starting at 1. */
  candidate: number;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface ResolveRequest {
  /** The id of the conflict. */
  conflict: string;
  /** keep_old, keep_new, keep_both, remove_both or merge. */
  disposition: Disposition;
  /** Why; the history keeps it. */
  reason: string;
  /** With merge: the merged statement. */
  text?: string | null;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** The result of a restore. */
export interface RestoreBackupAnswer {
  path: string;
  entries: number;
}

export interface RestoreBackupRequest {
  /** A backup file or an export file. */
  path: string;
}

export interface RestoreRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** Why it is restored. Default: "restored". */
  reason?: string;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** Why whoever kept a memory takes it out of use without calling it wrong. */
export type RetractionCause = "deleted" | "replaced";

export interface RetryRequest {
  /** The id of a job. */
  job: string;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** The result of a bulk review. */
export interface ReviewAnswer {
  dry_run: boolean;
  matched: number;
  counts: Record<string, number>;
  memories: string[];
  contents: string[];
  problems: string[];
  more: boolean;
}

export interface ReviewRequest {
  /** Whether to approve or reject the matching items. */
  decision: "approve" | "reject";
  /** Why; the history keeps it. */
  reason: string;
  /** Only memories of these kinds. */
  kinds?: readonly Kind[] | null;
  /** Only these scopes. Default: the caller's own scopes. */
  scopes?: readonly string[] | null;
  /** Only items of this topic. */
  topic?: string | null;
  /** Only items by this author, for example agent:codex. */
  author?: string | null;
  /** Only items with at least this confidence. Default: 0.0. */
  min_confidence?: number;
  /** Maximum number of items. Default: 100. */
  limit?: number;
  /** Only list the items that match. Default: false. */
  dry_run?: boolean;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface RevokeAgentRequest {
  /** The name of the agent, for example claude-code. */
  name: string;
}

/** What an agent is there for, and so what it may reach. */
export type Role = "admin" | "project" | "skill";

export interface RotateAgentRequest {
  /** The name of the agent, for example claude-code. */
  name: string;
}

export interface SaveViewRequest {
  /** The name of the view. */
  name: string;
  /** The question, in plain words. */
  question: string;
  /** Other arguments of recall, for example {"limit": 3}. */
  arguments?: Record<string, unknown> | null;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

/** The outcome: saved, replaced, unchanged or dropped. */
export interface SavedAnswer {
  outcome: SavedOutcome;
  view: SavedQuestion;
  seq: number;
}

export type SavedOutcome = "dropped" | "replaced" | "saved" | "unchanged";

/** A saved question. */
export interface SavedQuestion {
  id: string;
  name: string;
  question: string;
  arguments: Record<string, unknown>;
  author: string;
  saved_at: string;
}

export interface SearchRequest {
  /** Only these scopes. Default: the caller's own scopes. */
  scopes?: readonly string[] | null;
  /** Only memories of these kinds. */
  kinds?: readonly Kind[] | null;
  /** Minimum confidence. Default: 0.0. */
  min_confidence?: number;
  /** Maximum age since it was observed: 7d, 36h, 2 weeks. */
  max_age?: string | null;
  /** Maximum number of results. Default: 10. */
  limit?: number;
  /** Words to look for. */
  query: string;
}

/** The message that was sent. */
export interface ShareAnswer {
  message: HandedMessage;
  seq: number;
}

export interface ShareRequest {
  /** The agent to share with. */
  to: string;
  /** What the agent should do, in a few words. */
  action: string;
  /** Ids of the memories to share. */
  memories?: readonly string[] | null;
  /** Additional context for the agent. */
  context?: string | null;
  /** The type of message. Default: "request". */
  message_type?: "event" | "request" | "response";
  /** How long it can be read, for example '1 hour' or '2 days'. Default: "1 day". */
  expires?: string;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export type SourceKind = "conversation" | "document" | "import" | "manual" | "run";

/** A piece of evidence, and where it came from. */
export interface SourceView {
  source_id: string;
  kind: SourceKind;
  content: string;
  reference: string | null;
  file: string | null;
  line: number | null;
  span: [number, number] | null;
  author: string;
  speaker: string | null;
  thread: string | null;
  supports_version: number;
  recorded_at: string;
}

/** How soon a memory should be doubted. */
export type Staleness = "daily" | "hourly" | "stable" | "volatile" | "weekly";

export type Standing = "admin" | "person" | "project" | "skill";

/** Whether a memory may be acted on. */
export type Status = "active" | "archived" | "contradicted" | "inbox" | "rejected" | "retracted" | "superseded";

/** The size and state of a space, limited to what the caller may see. */
export interface StatusAnswer {
  name: string;
  space: string;
  home: string | null;
  active: number;
  statuses: Record<string, number>;
  kinds: Record<string, number>;
  scopes: Record<string, number>;
  topics: Record<string, number>;
  agents: Record<string, number>;
  staleness: Record<string, number>;
  stale: number;
  inbox: number;
  pending_conflicts: number;
  rejected_values: number | null;
  sources: number | null;
  jobs: Record<string, number> | null;
  ledger_entries: number | null;
  head: string | null;
  last_write: string | null;
  bytes_on_disk: number | null;
  warnings: string[];
}

export type StatusRequest = Record<string, never>;

/** How the evidence says it: outright, between the lines, or by inference. */
export type Strength = "explicit" | "implied" | "inferred";

/** Summaries. */
export interface SummariesAnswer {
  items: SummaryView[];
  next_cursor: string | null;
}

export interface SummariesRequest {
  /** Only this category, for example work or preferences. */
  category?: string | null;
  /** Only these scopes. Default: the caller's own scopes. */
  scopes?: readonly string[] | null;
  /** Number of earlier versions to include (people only). Default: 0. */
  earlier?: number;
}

/** The summary of a category in a scope. */
export interface SummaryView {
  scope: string;
  category: string;
  memories: number;
  text: string;
  made_at: string | null;
  earlier: EarlierSummary[];
}

export type Tier = "items" | "none" | "summaries";

export type Tone = "excited" | "frustrated" | "neutral" | "uncertain";

export type Trust = "conflicting" | "overridden" | "stale" | "uncertain" | "unconfirmed" | "upcoming";

/** A reason to trust or doubt a result, and the memory it refers to. */
export interface TrustView {
  tag: Trust;
  detail: string;
  memory_id: string | null;
}

/** What was undone. */
export interface UndoAnswer {
  undone: number;
  memories: string[];
  left: string[];
  seq: number;
}

export interface UndoRequest {
  /** The id of a job: undo all its changes. */
  job?: string | null;
  /** A ledger entry that a job made, for example #120. */
  entry?: string | null;
  /** Why; the history keeps it. */
  reason: string;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface UnlinkRequest {
  /** The id or IRI of a memory. */
  memory: string;
  /** What it is linked to, by id or IRI. */
  to: string;
  /** The relationship to remove. Default: "related_to". */
  relationship?: string;
  /** Why; the history keeps it. */
  reason: string;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface UpkeepAnswer {
  done: string[];
}

export interface UpsertProfileFactRequest {
  /** The statement to remember, in plain words. */
  content: string;
  /** Where it comes from: a file with a line (src/app.py:12), a URL, a conversation, a run. */
  source?: string | null;
  /** Where it belongs: global, team:ID, project:ID, repo:ID, agent:ID or session:ID. */
  scope?: string | null;
  /** An area of life or work: work, health, preferences, ... */
  category?: string | null;
  /** A unique text for this request: repeating it returns the first answer and changes nothing. */
  idempotency_key?: string | null;
}

export interface VerifyRequest {
  /** A ledger head you saved earlier (SEQ:HASH), to prove that nothing before it changed. */
  head?: string | null;
}

export interface ViewRequest {
  /** The name of the view. */
  name: string;
  /** For a person: the author of the view, if several authors have one of this name. */
  author?: string | null;
}

/** Saved questions. */
export interface ViewsAnswer {
  items: SavedQuestion[];
  next_cursor: string | null;
}

export type ViewsRequest = Record<string, never>;

/** Who may ever see it: the writing agent alone, this instance, or peers too. */
export type Visibility = "local" | "private" | "shared";

/** A recall: the question, the caller, the results with their scores, the cost and the feedback. */
export interface WhyAnswer {
  recall_id: string;
  at: string;
  by: string;
  channel: string;
  verb: string;
  question: string;
  rewritten: string | null;
  arguments: Record<string, unknown>;
  tier: Tier;
  results: RecalledView[];
  cost: Record<string, unknown>;
  feedback: FeedbackView | null;
}

export interface WhyRequest {
  /** The recall_id from the answer of a recall. */
  recall_id: string;
}

/** The jobs that ran, and how many still wait. */
export interface WorkAnswer {
  jobs: JobView[];
  waiting: number;
}

export interface WorkRequest {
  /** Only jobs with these names, for example extract. */
  names?: readonly string[] | null;
}

/** The outcome of a write, with its reason. */
export interface WriteAnswer {
  outcome: WriteOutcome;
  memory: MemoryView | null;
  reason: string;
  cause: Cause | null;
  hint: string | null;
  notes: string[];
  conflicts: string[];
  kept: MemoryView[];
  seq: number;
}

export type WriteOutcome = "approved" | "corroborated" | "created" | "merged" | "pending" | "refreshed" | "refused" | "rejected" | "resolved" | "restored" | "retracted" | "superseded" | "unchanged";

/** What each operation takes and answers. */
export interface Operations {
  add_agent: { request: AddAgentRequest; answer: AgentAnswer };
  agents: { request: AgentsRequest; answer: AgentsAnswer };
  approve: { request: ApproveRequest; answer: WriteAnswer };
  backup: { request: BackupRequest; answer: BackupAnswer };
  cancel: { request: CancelRequest; answer: JobView };
  capture: { request: CaptureRequest; answer: CaptureAnswer };
  capture_conversation: { request: CaptureConversationRequest; answer: CaptureAnswer };
  capture_session: { request: CaptureSessionRequest; answer: CaptureAnswer };
  compact: { request: CompactRequest; answer: CompactAnswer };
  conflicts: { request: ConflictsRequest; answer: ConflictsAnswer };
  consolidate: { request: ConsolidateRequest; answer: ConsolidateAnswer };
  context_for: { request: ContextForRequest; answer: ContextBundle };
  correct: { request: CorrectRequest; answer: WriteAnswer };
  diff: { request: DiffRequest; answer: DiffAnswer };
  drop_view: { request: DropViewRequest; answer: SavedAnswer };
  events: { request: EventsRequest; answer: EventsAnswer };
  expand: { request: ExpandRequest; answer: ExpandAnswer };
  explain: { request: ExplainRequest; answer: Explanation };
  export: { request: ExportRequest; answer: ExportAnswer };
  feedback: { request: FeedbackRequest; answer: FeedbackAnswer };
  forget: { request: ForgetRequest; answer: WriteAnswer };
  get: { request: GetRequest; answer: GetAnswer };
  handed: { request: HandedRequest; answer: HandedAnswer };
  history: { request: HistoryRequest; answer: HistoryAnswer };
  import: { request: ImportRequest; answer: ImportAnswer };
  inbox: { request: InboxRequest; answer: InboxAnswer };
  ingest: { request: IngestRequest; answer: IngestAnswer };
  inject: { request: InjectRequest; answer: InjectAnswer };
  job: { request: JobRequest; answer: JobAnswer };
  jobs: { request: JobsRequest; answer: JobsAnswer };
  learn: { request: LearnRequest; answer: WriteAnswer };
  learn_many: { request: LearnManyRequest; answer: BatchAnswer };
  link: { request: LinkRequest; answer: LinkAnswer };
  list: { request: ListRequest; answer: ListAnswer };
  maintain: { request: MaintainRequest; answer: UpkeepAnswer };
  merge: { request: MergeRequest; answer: WriteAnswer };
  quarantine: { request: QuarantineRequest; answer: QuarantineAnswer };
  recall: { request: RecallRequest; answer: RecallAnswer };
  recalls: { request: RecallsRequest; answer: RecallsAnswer };
  reindex: { request: ReindexRequest; answer: ReindexAnswer };
  reject: { request: RejectRequest; answer: WriteAnswer };
  rescue: { request: RescueRequest; answer: WriteAnswer };
  resolve: { request: ResolveRequest; answer: WriteAnswer };
  restore: { request: RestoreRequest; answer: WriteAnswer };
  restore_backup: { request: RestoreBackupRequest; answer: RestoreBackupAnswer };
  retry: { request: RetryRequest; answer: JobView };
  review: { request: ReviewRequest; answer: ReviewAnswer };
  revoke_agent: { request: RevokeAgentRequest; answer: AgentAnswer };
  rotate_agent: { request: RotateAgentRequest; answer: AgentAnswer };
  save_view: { request: SaveViewRequest; answer: SavedAnswer };
  search: { request: SearchRequest; answer: RecallAnswer };
  share: { request: ShareRequest; answer: ShareAnswer };
  status: { request: StatusRequest; answer: StatusAnswer };
  summaries: { request: SummariesRequest; answer: SummariesAnswer };
  undo: { request: UndoRequest; answer: UndoAnswer };
  unlink: { request: UnlinkRequest; answer: LinkAnswer };
  upsert_profile_fact: { request: UpsertProfileFactRequest; answer: WriteAnswer };
  verify: { request: VerifyRequest; answer: Report };
  view: { request: ViewRequest; answer: RecallAnswer };
  views: { request: ViewsRequest; answer: ViewsAnswer };
  why: { request: WhyRequest; answer: WhyAnswer };
  work: { request: WorkRequest; answer: WorkAnswer };
}

export type OperationName = keyof Operations;
export type RequestOf<Name extends OperationName> = Operations[Name]["request"];
export type AnswerOf<Name extends OperationName> = Operations[Name]["answer"];

/** What follows the name of an operation: what it needs, or nothing where it needs nothing. */
export type Given<Name extends OperationName> =
  Record<never, never> extends RequestOf<Name>
    ? [request?: RequestOf<Name>, options?: CallOptions]
    : [request: RequestOf<Name>, options?: CallOptions];

/** What an operation does to a space. */
export type Effect = "read" | "write" | "admin";

export const EFFECTS: { readonly [Name in OperationName]: Effect } = {
  add_agent: "admin",
  agents: "read",
  approve: "write",
  backup: "admin",
  cancel: "write",
  capture: "write",
  capture_conversation: "write",
  capture_session: "write",
  compact: "admin",
  conflicts: "read",
  consolidate: "admin",
  context_for: "read",
  correct: "write",
  diff: "read",
  drop_view: "write",
  events: "read",
  expand: "read",
  explain: "read",
  export: "admin",
  feedback: "write",
  forget: "write",
  get: "read",
  handed: "read",
  history: "read",
  import: "admin",
  inbox: "read",
  ingest: "admin",
  inject: "read",
  job: "read",
  jobs: "read",
  learn: "write",
  learn_many: "write",
  link: "write",
  list: "read",
  maintain: "admin",
  merge: "write",
  quarantine: "write",
  recall: "read",
  recalls: "read",
  reindex: "admin",
  reject: "write",
  rescue: "write",
  resolve: "write",
  restore: "write",
  restore_backup: "admin",
  retry: "write",
  review: "write",
  revoke_agent: "admin",
  rotate_agent: "admin",
  save_view: "write",
  search: "read",
  share: "write",
  status: "read",
  summaries: "read",
  undo: "write",
  unlink: "write",
  upsert_profile_fact: "write",
  verify: "read",
  view: "read",
  views: "read",
  why: "read",
  work: "admin",
};

/** One method for each capability. */
export abstract class Capabilities {
  /** Use a capability by its name. */
  abstract call<Name extends OperationName>(name: Name, ...given: Given<Name>): Promise<AnswerOf<Name>>;

  /** Add an agent with a role and projects. Its token is shown only once. */
  addAgent(request: AddAgentRequest, options?: CallOptions): Promise<AgentAnswer> {
    return this.call("add_agent", request, options);
  }

  /** List agents, their roles and permissions, and whether each has a token. */
  agents(request: AgentsRequest = {}, options?: CallOptions): Promise<AgentsAnswer> {
    return this.call("agents", request, options);
  }

  /** Approve an inbox item, or vouch for an agent's memory (people only). */
  approve(request: ApproveRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("approve", request, options);
  }

  /**
   * Write a consistent, verified copy while others keep reading and writing.
   *
   * With SQLite the copy is a database file, with PostgreSQL an export. `restore_backup` restores both into both.
   */
  backup(request: BackupRequest, options?: CallOptions): Promise<BackupAnswer> {
    return this.call("backup", request, options);
  }

  /** Cancel a waiting or running job. The changes it already made stay; `undo` can revert them. */
  cancel(request: CancelRequest, options?: CallOptions): Promise<JobView> {
    return this.call("cancel", request, options);
  }

  /**
   * Store a text or a conversation word for word as evidence that recall can search.
   *
   * `work` later extracts memories from it and puts them into the inbox. Capturing the same text again changes
   * nothing; a longer version of a conversation adds its new messages. Secrets are masked before anything is stored.
   * Passages that state a rejected value are stored but not shown.
   */
  capture(request: CaptureRequest = {}, options?: CallOptions): Promise<CaptureAnswer> {
    return this.call("capture", request, options);
  }

  /** Capture a conversation between people: its messages, notes or a summary. */
  captureConversation(request: CaptureConversationRequest = {}, options?: CallOptions): Promise<CaptureAnswer> {
    return this.call("capture_conversation", request, options);
  }

  /** Capture the transcript of an agent's session when it ends; memories are extracted from it later. */
  captureSession(request: CaptureSessionRequest, options?: CallOptions): Promise<CaptureAnswer> {
    return this.call("capture_session", request, options);
  }

  /**
   * Archive doubtful, outdated and long-forgotten memories, and merge duplicates.
   *
   * The history keeps everything, and `undo` reverts it.
   */
  compact(request: CompactRequest = {}, options?: CallOptions): Promise<CompactAnswer> {
    return this.call("compact", request, options);
  }

  /** List conflicts: memories that contradict each other, both sides and the difference. */
  conflicts(request: ConflictsRequest = {}, options?: CallOptions): Promise<ConflictsAnswer> {
    return this.call("conflicts", request, options);
  }

  /**
   * Merge duplicates and promote inbox items that satisfy the promotion rules.
   *
   * The history keeps everything, and `undo` reverts it.
   */
  consolidate(request: ConsolidateRequest = {}, options?: CallOptions): Promise<ConsolidateAnswer> {
    return this.call("consolidate", request, options);
  }

  /**
   * Return the context for a task: profile, decisions, conventions, lessons and relevant facts, with sources.
   *
   * It searches the global scope, the project, the repository, the session, teams and the agent's own scope, as far
   * as the agent may see them. Half of the entries are general knowledge, ranked by confidence, freshness and use;
   * half are relevant to the task. If one half has too few entries, the other gets the rest. Without a task, the
   * best-ranked other memories fill the second half.
   */
  contextFor(request: ContextForRequest = {}, options?: CallOptions): Promise<ContextBundle> {
    return this.call("context_for", request, options);
  }

  /**
   * Replace a memory that is wrong; the old one stays in the history with the reason and the time.
   *
   * If the memory stated several things and the correction is about one of them, the others are kept as separate
   * memories. The old value stays rejected in its scope.
   */
  correct(request: CorrectRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("correct", request, options);
  }

  /**
   * List what was added, corrected, retracted and linked since a time, in order.
   *
   * One call reads at most `limit` ledger entries. `until` in the answer is the last one read; start the next page
   * there.
   */
  diff(request: DiffRequest, options?: CallOptions): Promise<DiffAnswer> {
    return this.call("diff", request, options);
  }

  /** Delete a saved question; the history keeps it. */
  dropView(request: DropViewRequest, options?: CallOptions): Promise<SavedAnswer> {
    return this.call("drop_view", request, options);
  }

  /** Show one memory with its evidence, or one source with the passages around it, in the detail you choose. */
  expand(request: ExpandRequest, options?: CallOptions): Promise<ExpandAnswer> {
    return this.call("expand", request, options);
  }

  /** Explain why a memory is active, or why it no longer is, with its full provenance. */
  explain(request: ExplainRequest, options?: CallOptions): Promise<Explanation> {
    return this.call("explain", request, options);
  }

  /** Export the whole space to a JSON Lines file: every id, time, link, status and ledger entry, in order. */
  export(request: ExportRequest, options?: CallOptions): Promise<ExportAnswer> {
    return this.call("export", request, options);
  }

  /**
   * Report which results of a recall were used: they rank higher next time, ignored ones slightly lower.
   *
   * Only the ranking priority changes, never confidence or status, and only for memories the caller may write; for
   * others the use is only recorded. A second feedback on the same recall replaces the first; `undo` removes it.
   * With `answer`, every result is compared with the answer's text, except the ids given as used or ignored. Without
   * it, only those ids change.
   */
  feedback(request: FeedbackRequest, options?: CallOptions): Promise<FeedbackAnswer> {
    return this.call("feedback", request, options);
  }

  /**
   * Retract a memory: it is no longer recalled, its value stays rejected, and its history is kept.
   *
   * This does not erase the text: it stays in the history for audit.
   */
  forget(request: ForgetRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("forget", request, options);
  }

  /** Show one memory with its evidence, links and conflicts; with `as_of`, as it was at that time. */
  get(request: GetRequest, options?: CallOptions): Promise<GetAnswer> {
    return this.call("get", request, options);
  }

  /** List what other agents shared with you, newest first, until it expires. */
  handed(request: HandedRequest = {}, options?: CallOptions): Promise<HandedAnswer> {
    return this.call("handed", request, options);
  }

  /** Show every version of a memory and who changed it, when and why. */
  history(request: HistoryRequest, options?: CallOptions): Promise<HistoryAnswer> {
    return this.call("history", request, options);
  }

  /**
   * Import an export, or a JSON Lines file with one memory per line (the arguments of learn).
   *
   * An export is replayed exactly, with its history, into an empty space, and every line is verified against the
   * hash chain. A space that is an earlier state of the export gets the missing entries. In any other space, each
   * memory is checked like a new one, and values that were rejected in either space stay rejected.
   */
  import(request: ImportRequest, options?: CallOptions): Promise<ImportAnswer> {
    return this.call("import", request, options);
  }

  /** List the memories that wait for review, newest first, each with the reason and its evidence. */
  inbox(request: InboxRequest = {}, options?: CallOptions): Promise<InboxAnswer> {
    return this.call("inbox", request, options);
  }

  /**
   * Import files, folders, exports and transcripts as evidence, and memories of other products into the inbox.
   *
   * Formats: documents (notes, code, JSON, HTML, PDF), chatgpt, claude-export, claude-code, codex, server-memory,
   * mem0, basic-memory, obsidian, agents-files. A second import takes only what is new or changed. Skipped items are
   * listed with the reason.
   */
  ingest(request: IngestRequest, options?: CallOptions): Promise<IngestAnswer> {
    return this.call("ingest", request, options);
  }

  /**
   * Recall memories for a message, as a block of text to put before it in the prompt.
   *
   * The block is fenced as data, so that no entry can pass for an instruction or for the end of the block. Each
   * entry has its id, kind, category, confidence, age and trust. Entries that rarely change come first, which keeps
   * a model's prompt cache valid. The block is logged, so that `feedback` can report which entries were used.
   */
  inject(request: InjectRequest, options?: CallOptions): Promise<InjectAnswer> {
    return this.call("inject", request, options);
  }

  /** Show one job; for an extraction also every candidate with its scores and its outcome. */
  job(request: JobRequest, options?: CallOptions): Promise<JobAnswer> {
    return this.call("job", request, options);
  }

  /** List waiting, running, failed and finished jobs, newest first. An agent sees its own. */
  jobs(request: JobsRequest = {}, options?: CallOptions): Promise<JobsAnswer> {
    return this.call("jobs", request, options);
  }

  /**
   * Store a fact, preference, decision or rule with its source, after checking it against existing memories.
   *
   * The answer gives the outcome and the reason: created; refreshed or corroborated (it already existed); superseded
   * (it replaces an older fact); pending (it waits in the inbox for a person to decide); or refused (it was rejected
   * before). Secrets are masked before anything is stored.
   */
  learn(request: LearnRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("learn", request, options);
  }

  /** Store up to 1,000 memories in one transaction: all or none. */
  learnMany(request: LearnManyRequest, options?: CallOptions): Promise<BatchAnswer> {
    return this.call("learn_many", request, options);
  }

  /** Link a memory to another memory or to any IRI, with a typed relationship. */
  link(request: LinkRequest, options?: CallOptions): Promise<LinkAnswer> {
    return this.call("link", request, options);
  }

  /** List memories by their properties, newest first, in pages. */
  list(request: ListRequest = {}, options?: CallOptions): Promise<ListAnswer> {
    return this.call("list", request, options);
  }

  /** Maintain the database in short steps, while others use it. No memory changes. */
  maintain(request: MaintainRequest = {}, options?: CallOptions): Promise<UpkeepAnswer> {
    return this.call("maintain", request, options);
  }

  /** Merge two memories that say the same: the first stays, with the evidence of both (people only). */
  merge(request: MergeRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("merge", request, options);
  }

  /**
   * Hide an untrusted source; memories that have no other source move to the inbox (people only).
   *
   * `release` makes its passages searchable again, except those that state a rejected value, and reactivates the
   * memories that waited only for it. Nothing is erased.
   */
  quarantine(request: QuarantineRequest, options?: CallOptions): Promise<QuarantineAnswer> {
    return this.call("quarantine", request, options);
  }

  /**
   * Search memory for a question: results best first, each with its score, evidence and explanation.
   *
   * Only active memories are returned, never pending, rejected, retracted or replaced ones, and only captured
   * evidence that does not state a rejected value. With `as_of`, the answer shows the state at that time and what
   * changed since. If there is no good match, the answer is empty.
   */
  recall(request: RecallRequest, options?: CallOptions): Promise<RecallAnswer> {
    return this.call("recall", request, options);
  }

  /** List the logged recalls, newest first: an agent sees its own, a person all. */
  recalls(request: RecallsRequest = {}, options?: CallOptions): Promise<RecallsAnswer> {
    return this.call("recalls", request, options);
  }

  /** Rebuild the word index, the lookup keys and the vectors from the records. */
  reindex(request: ReindexRequest = {}, options?: CallOptions): Promise<ReindexAnswer> {
    return this.call("reindex", request, options);
  }

  /** Reject an inbox item; the same claim is refused from then on (people only). */
  reject(request: RejectRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("reject", request, options);
  }

  /** Learn an extraction candidate that was refused, on a person's authority (people only). */
  rescue(request: RescueRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("rescue", request, options);
  }

  /** Resolve a conflict (people only). The same conflict is not raised again. */
  resolve(request: ResolveRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("resolve", request, options);
  }

  /**
   * Restore a memory that was forgotten, rejected or replaced (people only).
   *
   * This also lifts the rejection of its value. Both are recorded in the history.
   */
  restore(request: RestoreRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("restore", request, options);
  }

  /**
   * Restore a whole space from a backup or an export into an empty home.
   *
   * The history is verified before anything is written. A home that has a history is never overwritten.
   */
  restoreBackup(request: RestoreBackupRequest, options?: CallOptions): Promise<RestoreBackupAnswer> {
    return this.call("restore_backup", request, options);
  }

  /**
   * Retry a failed, waiting or cancelled job now, resuming where it stopped.
   *
   * A job is suspended when the agent that requested it loses its token. Only a person can retry it then; its
   * results still count as that agent's.
   */
  retry(request: RetryRequest, options?: CallOptions): Promise<JobView> {
    return this.call("retry", request, options);
  }

  /** Approve or reject all inbox items that match (people only). */
  review(request: ReviewRequest, options?: CallOptions): Promise<ReviewAnswer> {
    return this.call("review", request, options);
  }

  /** Revoke an agent's token. Its memories stay; its unfinished jobs are suspended. */
  revokeAgent(request: RevokeAgentRequest, options?: CallOptions): Promise<AgentAnswer> {
    return this.call("revoke_agent", request, options);
  }

  /** Replace an agent's token; the old one stops working at once. Use `owner` for your own. */
  rotateAgent(request: RotateAgentRequest, options?: CallOptions): Promise<AgentAnswer> {
    return this.call("rotate_agent", request, options);
  }

  /** Save a question with its filters under a name; saving the same name again replaces it. */
  saveView(request: SaveViewRequest, options?: CallOptions): Promise<SavedAnswer> {
    return this.call("save_view", request, options);
  }

  /** Search memories by words and filters; like recall, but without captured evidence. */
  search(request: SearchRequest, options?: CallOptions): Promise<RecallAnswer> {
    return this.call("search", request, options);
  }

  /**
   * Share memories you may read, and context in your own words, with another agent for a task.
   *
   * The message can be read until it expires. Memories that are rejected or replaced meanwhile are no longer shown.
   */
  share(request: ShareRequest, options?: CallOptions): Promise<ShareAnswer> {
    return this.call("share", request, options);
  }

  /** Show the size of the memory, the inbox, stale memories, authors and warnings. */
  status(request: StatusRequest = {}, options?: CallOptions): Promise<StatusAnswer> {
    return this.call("status", request, options);
  }

  /** Summarise the active memories of each category and scope, as Markdown. */
  summaries(request: SummariesRequest = {}, options?: CallOptions): Promise<SummariesAnswer> {
    return this.call("summaries", request, options);
  }

  /** Undo the changes of a maintenance job, or one entry of it. The history keeps both. */
  undo(request: UndoRequest, options?: CallOptions): Promise<UndoAnswer> {
    return this.call("undo", request, options);
  }

  /** Remove a link; the history keeps it. */
  unlink(request: UnlinkRequest, options?: CallOptions): Promise<LinkAnswer> {
    return this.call("unlink", request, options);
  }

  /**
   * Set a fact about a person, replacing the previous one.
   *
   * A fact from a person takes effect at once and replaces what it contradicts. A fact from an agent waits in the
   * inbox.
   */
  upsertProfileFact(request: UpsertProfileFactRequest, options?: CallOptions): Promise<WriteAnswer> {
    return this.call("upsert_profile_fact", request, options);
  }

  /** Verify the whole ledger and report every edited, deleted, inserted, reordered or truncated entry. */
  verify(request: VerifyRequest = {}, options?: CallOptions): Promise<Report> {
    return this.call("verify", request, options);
  }

  /** Run a saved question. The results are limited to what the caller may see, whoever saved it. */
  view(request: ViewRequest, options?: CallOptions): Promise<RecallAnswer> {
    return this.call("view", request, options);
  }

  /** List saved questions: an agent sees its own, a person all. */
  views(request: ViewsRequest = {}, options?: CallOptions): Promise<ViewsAnswer> {
    return this.call("views", request, options);
  }

  /** Explain the results of a recall: the question, the score of each result, the cost and the feedback. */
  why(request: WhyRequest, options?: CallOptions): Promise<WhyAnswer> {
    return this.call("why", request, options);
  }

  /** Run the waiting jobs: extraction from captured text, and scheduled jobs. Workers can run in parallel. */
  work(request: WorkRequest = {}, options?: CallOptions): Promise<WorkAnswer> {
    return this.call("work", request, options);
  }
}

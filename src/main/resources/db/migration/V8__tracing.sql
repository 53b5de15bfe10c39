-- Who settled a number last, and the traces that calls were part of. The history has had who asked as its actor from the start.
alter table issue_log add column settled_by text;
alter table issue_log add column trace_id text;
alter table issue_event add column trace_id text;

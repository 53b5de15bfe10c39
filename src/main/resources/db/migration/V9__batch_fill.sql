-- A batch is updated in place some hundred times and then kept for years: the room that its updates need is soon free again, and what
-- is left free of a page is paid for by every number. For pages written from now on.
alter table batch set (fillfactor = 80);

insert into webhook_events (id, body) values ($1, $2) on conflict (id) do nothing

ALTER TABLE `data_queries` ADD `escaping` text DEFAULT 'bind' NOT NULL;--> statement-breakpoint
ALTER TABLE `data_query_versions` ADD `escaping` text DEFAULT 'bind' NOT NULL;
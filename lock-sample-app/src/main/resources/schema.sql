-- For H2 and PostgreSQL. No foreign keys: to check one, a database locks the row it points to.

-- available is what the shop believes to have left; the truth is stock minus the article's orders
create table if not exists article (
	id varchar(64) primary key,
	shelf int not null,
	stock int not null,
	available int not null
);

-- One row for each unit that a customer has bought
create table if not exists customer_order (
	id bigint generated always as identity primary key,
	article_id varchar(64) not null
);

create index if not exists customer_order_article on customer_order (article_id);

-- No unique period: only the lock keeps two instances from writing the same report
create table if not exists sales_report (
	period timestamp with time zone not null,
	sold bigint not null,
	port int not null
);

create table if not exists sales_report_attempt (
	period timestamp with time zone not null,
	port int not null,
	outcome varchar(32) not null,
	tried_at timestamp with time zone not null
);

create table if not exists stocktaking (
	id bigint generated always as identity primary key,
	shelves int not null,
	counted int default 0 not null,
	units bigint default 0 not null,
	token bigint default 0 not null,
	port int,
	pid bigint
);

create table if not exists instance (
	client varchar(255) primary key,
	port int not null,
	pid bigint not null,
	seen_at timestamp with time zone default current_timestamp not null
);

SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.autopilot_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'events, backtests and judgements never change'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
END $$;
CREATE FUNCTION public.autopilot_judgement_ledgered() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_standing_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.rule_id AND c.cause_kind = 'backtest'
            AND c.cause_id = NEW.backtest_id::text) THEN
        RAISE EXCEPTION 'a backtest judged a rule and its ledger does not say so'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'judgement_in_ledger';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.autopilot_judgement_matches() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_record r WHERE r.agent_id = NEW.agent_id
            AND r.id = NEW.rule_id AND r.type = 'rule')
       OR NOT EXISTS (SELECT 1 FROM autopilot_backtest b WHERE b.agent_id = NEW.agent_id
            AND b.id = NEW.backtest_id AND (b.verdict, NEW.verdict) IN
                (('confirms', 'confirmed'), ('contradicts', 'contradicted'))) THEN
        RAISE EXCEPTION 'a judgement is of a rule, and says what its backtest says'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'judgement_matches';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.autopilot_session_ended() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'a session that has ended never changes'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'session_ended';
END $$;
CREATE FUNCTION public.autopilot_synthesis_frozen() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.status <> 'claimed' OR
       (NEW.agent_id, NEW.strategy_type, NEW.evidence_hash, NEW.evidence) IS DISTINCT FROM
       (OLD.agent_id, OLD.strategy_type, OLD.evidence_hash, OLD.evidence)
    THEN
        RAISE EXCEPTION 'an evidence set stays, and is settled once'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'synthesis_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.autopilot_synthesis_of_rule() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_record r WHERE r.agent_id = NEW.agent_id
            AND r.id = NEW.rule_id AND r.type = 'rule') THEN
        RAISE EXCEPTION 'what a synthesis made is a rule of its agent'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'synthesis_made_rule';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_agent_has_tail() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO memory_agent_tail (agent_id) VALUES (NEW.id);
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_is_ours(row_xmin xid) RETURNS boolean
    LANGUAGE sql
    AS $$
    SELECT CASE WHEN ahead < 0 THEN false
        ELSE pg_xact_status((mine + ahead)::text::xid8) = 'in progress' END
    FROM (SELECT pg_current_xact_id()::text::bigint AS mine) m
    CROSS JOIN LATERAL (
        SELECT (row_xmin::text::bigint - mine % 4294967296 + 6442450944) % 4294967296 - 2147483648
            AS ahead) a
$$;
CREATE FUNCTION public.memory_link_whole() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM added l
        JOIN memory_record s ON s.agent_id = l.agent_id AND s.id = l.source_id
        JOIN memory_record t ON t.agent_id = l.agent_id AND t.id = l.target_id
        WHERE t.seq >= s.seq OR NOT memory_is_ours(s.xmin)
    ) THEN
        RAISE EXCEPTION 'links come with their record, and lead to older ones'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'link_whole';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_producer_frozen() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (NEW.id, NEW.agent_id, NEW.role, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.agent_id, OLD.role, OLD.created_at) THEN
        RAISE EXCEPTION 'a producer keeps its agent and its role'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'producer_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.memory_record_has_standing() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- As the row is at the end of the transaction, not as it was when this was put off.
    IF EXISTS (SELECT 1 FROM memory_record r
        LEFT JOIN memory_standing s ON s.agent_id = r.agent_id AND s.record_id = r.id
        WHERE r.agent_id = NEW.agent_id AND r.id = NEW.id
          AND (r.purged_at IS NULL) <> (s.record_id IS NOT NULL)) THEN
        RAISE EXCEPTION 'a live record of a strategy tier has a standing, an erased one has none'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'record_has_standing';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_record_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL
       AND NEW.content = '' AND NEW.metadata = '{}'::jsonb AND NEW.tags = '{}'
       AND NEW.content_salt IS NULL
       AND (NEW.id, NEW.agent_id, NEW.seq, NEW.type, NEW.scope, NEW.created_at, NEW.content_digest)
         = (OLD.id, OLD.agent_id, OLD.seq, OLD.type, OLD.scope, OLD.created_at, OLD.content_digest)
       AND (NEW.producer_id, NEW.run_id, NEW.timeframe, NEW.originals_hash, NEW.stale_after,
            NEW.expiry_policy, NEW.imported_at) IS NOT DISTINCT FROM
           (OLD.producer_id, OLD.run_id, OLD.timeframe, OLD.originals_hash, OLD.stale_after,
            OLD.expiry_policy, OLD.imported_at)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a record never changes after the write'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'record_immutable';
END $$;
CREATE FUNCTION public.memory_record_needs_target() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_target
                   WHERE agent_id = NEW.agent_id AND record_id = NEW.id) THEN
        RAISE EXCEPTION 'a record of scope instruments needs a target'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'record_needs_target';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_record_run() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_run WHERE agent_id = NEW.agent_id AND id = NEW.run_id
                   AND producer_id = NEW.producer_id) THEN
        RAISE EXCEPTION 'a record is written in a run of its producer'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'record_run_of_producer';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_run_frozen() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF OLD.status <> 'running' OR
       (NEW.id, NEW.agent_id, NEW.producer_id, NEW.schedule, NEW.evidence_boundary,
        NEW.started_at, NEW.implicit, NEW.bound_token_id) IS DISTINCT FROM
       (OLD.id, OLD.agent_id, OLD.producer_id, OLD.schedule, OLD.evidence_boundary,
        OLD.started_at, OLD.implicit, OLD.bound_token_id)
    THEN
        RAISE EXCEPTION 'a run keeps what it began with, and ends once'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'run_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.memory_searchable(content text, tags text[], instruments text[], symbol text, strategy_type text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT translate(concat_ws(' ', content, array_to_string(tags, ' '),
        array_to_string(instruments, ' '),
        CASE WHEN symbol = ANY (instruments) THEN NULL ELSE symbol END, strategy_type), '/', ' ')
$$;
CREATE FUNCTION public.memory_side_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'targets and links never change after the write'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
END $$;
CREATE FUNCTION public.memory_standing_change_rules() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        RAISE EXCEPTION 'a ledger never changes'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'standing_change_immutable';
    END IF;
    IF NEW.revision > 1 AND NOT EXISTS (
            SELECT 1 FROM memory_standing_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.record_id AND c.revision = NEW.revision - 1
            AND c.after = NEW.before) THEN
        RAISE EXCEPTION 'a line of a ledger begins where the one before ended'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'standing_change_follows';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.memory_standing_frozen() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.revision <> OLD.revision + 1 OR
       (NEW.record_id, NEW.agent_id, NEW.type, NEW.symbol_id, NEW.strategy_type, NEW.outcome,
        NEW.config, NEW.config_hash, NEW.metrics, NEW.source_node_uuid, NEW.author_id,
        NEW.created_at) IS DISTINCT FROM
       (OLD.record_id, OLD.agent_id, OLD.type, OLD.symbol_id, OLD.strategy_type, OLD.outcome,
        OLD.config, OLD.config_hash, OLD.metrics, OLD.source_node_uuid, OLD.author_id,
        OLD.created_at)
    THEN
        RAISE EXCEPTION 'a standing keeps what it was made with, and moves by one revision'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'standing_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.memory_standing_ledgered() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    told jsonb;
    said boolean;
BEGIN
    IF TG_OP = 'DELETE' THEN
        said := EXISTS (SELECT 1 FROM memory_standing_change c WHERE c.agent_id = OLD.agent_id
                AND c.record_id = OLD.record_id AND c.revision = OLD.revision + 1
                AND c.event = 'purged')
            AND EXISTS (SELECT 1 FROM memory_record r WHERE r.agent_id = OLD.agent_id
                AND r.id = OLD.record_id AND r.purged_at IS NOT NULL);
    ELSE
        SELECT c.after INTO told FROM memory_standing_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.record_id AND c.revision = NEW.revision;
        said := (NEW.tags, NEW.confidence, NEW.validated_count, NEW.relevance_score,
                 NEW.visibility, NEW.community_confirmations, NEW.expires_at, NEW.merged_into_id)
            IS NOT DISTINCT FROM
            (ARRAY(SELECT t.tag FROM jsonb_array_elements_text(told -> 'tags')
                   WITH ORDINALITY AS t(tag, ord) ORDER BY t.ord),
             (told ->> 'confidence')::numeric, (told ->> 'validated_count')::int,
             (told ->> 'relevance_score')::numeric, told ->> 'visibility',
             (told ->> 'community_confirmations')::int, (told ->> 'expires_at')::timestamptz,
             (told ->> 'merged_into')::uuid);
    END IF;
    IF NOT coalesce(said, false) THEN
        RAISE EXCEPTION 'a standing moved and its ledger does not say so'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'standing_in_ledger';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_standing_matches() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_record r WHERE r.agent_id = NEW.agent_id
            AND r.id = NEW.record_id AND r.type = NEW.type AND r.created_at = NEW.created_at
            AND r.purged_at IS NULL) THEN
        RAISE EXCEPTION 'a standing has the type and time of its record'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'standing_matches_record';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_standing_tags() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM memory_tag WHERE agent_id = OLD.agent_id AND record_id = OLD.record_id;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    INSERT INTO memory_tag (agent_id, record_id, tag, type, symbol, strategy_type, relevance,
        confidence, created_at, expires_at)
    SELECT NEW.agent_id, NEW.record_id, t.tag, NEW.type, coalesce(NEW.symbol_id, ''),
        coalesce(NEW.strategy_type, ''), NEW.relevance_score, NEW.confidence, NEW.created_at,
        coalesce(NEW.expires_at, 'infinity')
    FROM unnest(CASE WHEN NEW.tags = '{}' THEN ARRAY[''] ELSE NEW.tags END) AS t(tag)
    WHERE NEW.merged_into_id IS NULL;
    RETURN NEW;
END $$;
CREATE FUNCTION public.memory_target_whole() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM added t JOIN memory_record r ON r.agent_id = t.agent_id AND r.id = t.record_id
        WHERE (t.type, t.created_at) <> (r.type, r.created_at)
           OR (t.producer_id, t.originals_hash) IS DISTINCT FROM (r.producer_id, r.originals_hash)
           OR NOT memory_is_ours(r.xmin)
    ) THEN
        RAISE EXCEPTION 'targets come with their record, and say of it what it says'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'target_whole';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.memory_token_frozen() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (NEW.id, NEW.agent_id, NEW.producer_id, NEW.run_id, NEW.key, NEW.secret_sha256)
       IS DISTINCT FROM
       (OLD.id, OLD.agent_id, OLD.producer_id, OLD.run_id, OLD.key, OLD.secret_sha256)
       OR (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at) THEN
        RAISE EXCEPTION 'a token stays whose it is, and is revoked for good'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'token_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.trading_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: its rows are evidence', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'indicator_run_immutable',
          TABLE = TG_TABLE_NAME;
END $$;
CREATE TABLE public.auth_group (
    id integer NOT NULL,
    name character varying(150) NOT NULL
);
ALTER TABLE public.auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);
ALTER TABLE public.auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_permission (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);
ALTER TABLE public.auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_user (
    id integer NOT NULL,
    password character varying(128) NOT NULL,
    last_login timestamp with time zone,
    is_superuser boolean NOT NULL,
    username character varying(150) NOT NULL,
    first_name character varying(150) NOT NULL,
    last_name character varying(150) NOT NULL,
    email character varying(254) NOT NULL,
    is_staff boolean NOT NULL,
    is_active boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL
);
CREATE TABLE public.auth_user_groups (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    group_id integer NOT NULL
);
ALTER TABLE public.auth_user_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.auth_user ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_user_user_permissions (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    permission_id integer NOT NULL
);
ALTER TABLE public.auth_user_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.autopilot_backtest (
    id uuid NOT NULL,
    iteration smallint NOT NULL,
    timeframe character varying(4) NOT NULL,
    window_start timestamp with time zone NOT NULL,
    window_split timestamp with time zone NOT NULL,
    window_end timestamp with time zone NOT NULL,
    strategy jsonb NOT NULL,
    strategy_type character varying(20) NOT NULL,
    config_hash bytea NOT NULL,
    data_hash bytea NOT NULL,
    data_source character varying(120) NOT NULL,
    engine character varying(40) NOT NULL,
    engine_version character varying(20) NOT NULL,
    in_sample jsonb NOT NULL,
    holdout jsonb NOT NULL,
    outcome character varying(7) NOT NULL,
    verdict character varying(11) NOT NULL,
    trades jsonb NOT NULL,
    equity jsonb NOT NULL,
    warnings jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    agent_id uuid NOT NULL,
    instrument_id character varying(64) NOT NULL,
    session_id uuid NOT NULL,
    CONSTRAINT backtest_hashes CHECK (((length(config_hash) = 32) AND (length(data_hash) = 32))),
    CONSTRAINT backtest_outcome CHECK (((outcome)::text = ANY ((ARRAY['success'::character varying, 'failure'::character varying])::text[]))),
    CONSTRAINT backtest_verdict CHECK (((verdict)::text = ANY ((ARRAY['confirms'::character varying, 'contradicts'::character varying, 'neither'::character varying])::text[]))),
    CONSTRAINT backtest_window_forward CHECK (((window_split < window_end) AND (window_start < window_split)))
);
CREATE TABLE public.autopilot_event (
    seq bigint NOT NULL,
    kind character varying(40) NOT NULL,
    step character varying(16) NOT NULL,
    iteration smallint NOT NULL,
    text text NOT NULL,
    data jsonb NOT NULL,
    at timestamp with time zone NOT NULL,
    agent_id uuid NOT NULL,
    session_id uuid NOT NULL,
    CONSTRAINT event_named CHECK (((kind)::text ~ '^[a-z][a-z_]{0,39}$'::text)),
    CONSTRAINT event_seq_positive CHECK ((seq >= 1))
);
CREATE TABLE public.autopilot_judgement (
    rule_id uuid NOT NULL,
    backtest_id uuid NOT NULL,
    verdict character varying(12) NOT NULL,
    at timestamp with time zone NOT NULL,
    agent_id uuid NOT NULL,
    CONSTRAINT judgement_known CHECK (((verdict)::text = ANY ((ARRAY['confirmed'::character varying, 'contradicted'::character varying])::text[])))
);
CREATE TABLE public.autopilot_session (
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    prompt text NOT NULL,
    timeframe character varying(4),
    max_iterations smallint NOT NULL,
    until_profitable boolean NOT NULL,
    plan character varying(4) NOT NULL,
    critic_mode character varying(7) NOT NULL,
    promotion character varying(14) NOT NULL,
    provider character varying(40) NOT NULL,
    window_start timestamp with time zone,
    window_split timestamp with time zone,
    window_end timestamp with time zone,
    status character varying(9) NOT NULL,
    step_number integer NOT NULL,
    iteration smallint NOT NULL,
    state jsonb NOT NULL,
    last_event bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    deadline_at timestamp with time zone NOT NULL,
    cancel_requested_at timestamp with time zone,
    ended_at timestamp with time zone,
    error_code character varying(64) NOT NULL,
    error text NOT NULL,
    agent_id uuid NOT NULL,
    best_id uuid,
    started_by_id integer,
    symbol_id character varying(64),
    CONSTRAINT session_asked CHECK ((NOT (prompt = ''::text))),
    CONSTRAINT session_counts_forward CHECK (((last_event >= 0) AND (step_number >= 1))),
    CONSTRAINT session_end_matches_status CHECK ((((ended_at IS NULL) AND ((status)::text = ANY ((ARRAY['queued'::character varying, 'running'::character varying])::text[]))) OR ((ended_at IS NOT NULL) AND ((status)::text = ANY ((ARRAY['succeeded'::character varying, 'failed'::character varying, 'cancelled'::character varying])::text[]))))),
    CONSTRAINT session_iteration_in_range CHECK (((iteration >= 0) AND (iteration <= max_iterations))),
    CONSTRAINT session_iterations_bounded CHECK (((max_iterations >= 1) AND (max_iterations <= 30))),
    CONSTRAINT session_status_known CHECK (((status)::text = ANY ((ARRAY['queued'::character varying, 'running'::character varying, 'succeeded'::character varying, 'failed'::character varying, 'cancelled'::character varying])::text[]))),
    CONSTRAINT session_window_forward CHECK ((((window_end IS NULL) AND (window_split IS NULL) AND (window_start IS NULL)) OR ((window_end IS NOT NULL) AND (window_split IS NOT NULL) AND (window_split < window_end) AND (window_start IS NOT NULL) AND (window_start < window_split))))
);
CREATE TABLE public.autopilot_step (
    number integer NOT NULL,
    name character varying(16) NOT NULL,
    iteration smallint NOT NULL,
    status character varying(7) NOT NULL,
    tries integer NOT NULL,
    claim uuid,
    lease_until timestamp with time zone,
    due_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    calls jsonb NOT NULL,
    agent_id uuid NOT NULL,
    session_id uuid NOT NULL,
    CONSTRAINT step_claim_matches_status CHECK ((((claim IS NULL) AND (finished_at IS NULL) AND ((status)::text = 'due'::text)) OR ((claim IS NOT NULL) AND (finished_at IS NULL) AND (lease_until IS NOT NULL) AND ((status)::text = 'claimed'::text)) OR ((finished_at IS NOT NULL) AND ((status)::text = 'done'::text)))),
    CONSTRAINT step_name_known CHECK (((name)::text = ANY ((ARRAY['resolve'::character varying, 'research'::character varying, 'select_tags'::character varying, 'advise'::character varying, 'backtest'::character varying, 'learn'::character varying, 'synthesize'::character varying, 'evaluate'::character varying, 'backtrack'::character varying, 'conclude'::character varying])::text[])))
);
CREATE TABLE public.autopilot_synthesis_claim (
    strategy_type character varying(20) NOT NULL,
    evidence_hash bytea NOT NULL,
    evidence jsonb NOT NULL,
    claim uuid NOT NULL,
    lease_until timestamp with time zone NOT NULL,
    status character varying(9) NOT NULL,
    rule_id uuid,
    reason text NOT NULL,
    support jsonb NOT NULL,
    claimed_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    agent_id uuid NOT NULL,
    session_id uuid NOT NULL,
    CONSTRAINT synthesis_evidence_enough CHECK (
CASE jsonb_typeof(evidence)
    WHEN 'array'::text THEN (jsonb_array_length(evidence) >= 3)
    ELSE false
END),
    CONSTRAINT synthesis_hash_is_sha256 CHECK ((length(evidence_hash) = 32)),
    CONSTRAINT synthesis_made_names_rule CHECK ((((rule_id IS NOT NULL) AND ((status)::text = 'made'::text)) OR ((NOT ((status)::text = 'made'::text)) AND (rule_id IS NULL)))),
    CONSTRAINT synthesis_settled_matches_status CHECK ((((settled_at IS NULL) AND ((status)::text = 'claimed'::text)) OR ((NOT ((status)::text = 'claimed'::text)) AND (settled_at IS NOT NULL)))),
    CONSTRAINT synthesis_status_known CHECK (((status)::text = ANY ((ARRAY['claimed'::character varying, 'made'::character varying, 'duplicate'::character varying, 'refused'::character varying])::text[])))
);
CREATE TABLE public.axes_accessattempt (
    id integer NOT NULL,
    user_agent character varying(255) NOT NULL,
    ip_address inet,
    username character varying(255),
    http_accept character varying(1025) NOT NULL,
    path_info character varying(255) NOT NULL,
    attempt_time timestamp with time zone NOT NULL,
    get_data text NOT NULL,
    post_data text NOT NULL,
    failures_since_start integer NOT NULL,
    CONSTRAINT axes_accessattempt_failures_since_start_check CHECK ((failures_since_start >= 0))
);
ALTER TABLE public.axes_accessattempt ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.axes_accessattempt_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.axes_accessattemptexpiration (
    access_attempt_id integer NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.axes_accessfailurelog (
    id integer NOT NULL,
    user_agent character varying(255) NOT NULL,
    ip_address inet,
    username character varying(255),
    http_accept character varying(1025) NOT NULL,
    path_info character varying(255) NOT NULL,
    attempt_time timestamp with time zone NOT NULL,
    locked_out boolean NOT NULL
);
ALTER TABLE public.axes_accessfailurelog ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.axes_accessfailurelog_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.axes_accesslog (
    id integer NOT NULL,
    user_agent character varying(255) NOT NULL,
    ip_address inet,
    username character varying(255),
    http_accept character varying(1025) NOT NULL,
    path_info character varying(255) NOT NULL,
    attempt_time timestamp with time zone NOT NULL,
    logout_time timestamp with time zone,
    session_hash character varying(64) NOT NULL
);
ALTER TABLE public.axes_accesslog ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.axes_accesslog_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_admin_log (
    id integer NOT NULL,
    action_time timestamp with time zone NOT NULL,
    object_id text,
    object_repr character varying(200) NOT NULL,
    action_flag smallint NOT NULL,
    change_message text NOT NULL,
    content_type_id integer,
    user_id integer NOT NULL,
    CONSTRAINT django_admin_log_action_flag_check CHECK ((action_flag >= 0))
);
ALTER TABLE public.django_admin_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_admin_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_content_type (
    id integer NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);
ALTER TABLE public.django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);
ALTER TABLE public.django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_q_ormq (
    id integer NOT NULL,
    key character varying(100) NOT NULL,
    payload text NOT NULL,
    lock timestamp with time zone
);
ALTER TABLE public.django_q_ormq ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_q_ormq_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_q_schedule (
    id integer NOT NULL,
    func character varying(256) NOT NULL,
    hook character varying(256),
    args text,
    kwargs text,
    schedule_type character varying(2) NOT NULL,
    repeats integer NOT NULL,
    next_run timestamp with time zone,
    task character varying(100),
    name character varying(100),
    minutes smallint,
    cron character varying(100),
    cluster character varying(100),
    intended_date_kwarg character varying(100),
    CONSTRAINT django_q_schedule_minutes_check CHECK ((minutes >= 0))
);
ALTER TABLE public.django_q_schedule ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_q_schedule_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_q_task (
    name character varying(100) NOT NULL,
    func character varying(256) NOT NULL,
    hook character varying(256),
    args text,
    kwargs text,
    result text,
    started timestamp with time zone NOT NULL,
    stopped timestamp with time zone NOT NULL,
    success boolean NOT NULL,
    id character varying(32) NOT NULL,
    "group" character varying(100),
    attempt_count integer NOT NULL,
    cluster character varying(100)
);
CREATE TABLE public.django_session (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL
);
CREATE TABLE public.memory_agent (
    id uuid NOT NULL,
    name character varying(80) NOT NULL,
    expiry_policy character varying(40) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    owner_id integer NOT NULL,
    trading_may_search boolean DEFAULT false NOT NULL,
    plan character varying(4) DEFAULT 'free'::character varying NOT NULL,
    CONSTRAINT agent_name_not_empty CHECK ((NOT ((name)::text = ''::text))),
    CONSTRAINT agent_plan_known CHECK (((plan)::text = ANY ((ARRAY['free'::character varying, 'pro'::character varying])::text[]))),
    CONSTRAINT agent_policy_stampable CHECK (((expiry_policy)::text = ANY ((ARRAY['analysis_schedule_v2'::character varying, 'analysis_schedule_v3'::character varying])::text[])))
);
CREATE TABLE public.memory_agent_tail (
    agent_id uuid NOT NULL,
    last_seq bigint DEFAULT 0 NOT NULL,
    erasures bigint DEFAULT 0 NOT NULL,
    text_length bigint DEFAULT 0 NOT NULL,
    text_records bigint DEFAULT 0 NOT NULL,
    CONSTRAINT agent_tail_not_negative CHECK (((erasures >= 0) AND (last_seq >= 0))),
    CONSTRAINT agent_tail_text_not_negative CHECK (((text_length >= 0) AND (text_records >= 0)))
)
WITH (fillfactor='50');
CREATE TABLE public.memory_cluster (
    id uuid NOT NULL,
    host character varying(255) NOT NULL,
    place character varying(255) NOT NULL,
    "group" integer,
    supervisor integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    progress_at timestamp with time zone,
    ended_at timestamp with time zone,
    ending character varying(40) NOT NULL
);
CREATE TABLE public.memory_head (
    instrument_id character varying(64) NOT NULL,
    type character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    stale_after timestamp with time zone NOT NULL,
    agent_id uuid NOT NULL,
    producer_id uuid NOT NULL,
    record_id uuid NOT NULL
)
WITH (fillfactor='70');
CREATE TABLE public.memory_instrument (
    id character varying(64) NOT NULL,
    kind character varying(10) NOT NULL,
    dex character varying(32) NOT NULL,
    asset_id integer,
    sz_decimals smallint NOT NULL,
    max_leverage smallint,
    only_isolated boolean NOT NULL,
    is_active boolean NOT NULL,
    source character varying(40) NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    CONSTRAINT instrument_kind_known CHECK (((kind)::text = ANY ((ARRAY['perpetual'::character varying, 'spot'::character varying])::text[]))),
    CONSTRAINT instrument_named CHECK ((NOT ((id)::text = ''::text))),
    CONSTRAINT memory_instrument_asset_id_check CHECK ((asset_id >= 0)),
    CONSTRAINT memory_instrument_max_leverage_check CHECK ((max_leverage >= 0)),
    CONSTRAINT memory_instrument_sz_decimals_check CHECK ((sz_decimals >= 0))
);
CREATE TABLE public.memory_jobrun (
    id uuid NOT NULL,
    name character varying(100) NOT NULL,
    intended_at timestamp with time zone NOT NULL,
    status character varying(9) NOT NULL,
    attempts smallint NOT NULL,
    task uuid,
    started_at timestamp with time zone NOT NULL,
    lease_until timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    result jsonb,
    error text NOT NULL,
    CONSTRAINT job_run_counts_forward CHECK (((attempts >= 1) AND (lease_until > started_at))),
    CONSTRAINT job_run_end_matches_status CHECK ((((finished_at IS NULL) AND ((status)::text = 'running'::text)) OR ((finished_at IS NOT NULL) AND ((status)::text = ANY ((ARRAY['succeeded'::character varying, 'failed'::character varying, 'lost'::character varying])::text[])))))
);
CREATE TABLE public.memory_link (
    ord smallint NOT NULL,
    link_type character varying(12) NOT NULL,
    agent_id uuid NOT NULL,
    source_id uuid NOT NULL,
    target_id uuid NOT NULL,
    CONSTRAINT link_not_self CHECK ((NOT (source_id = target_id))),
    CONSTRAINT link_type_known CHECK (((link_type)::text = ANY ((ARRAY['evidence'::character varying, 'corrects'::character varying, 'supports'::character varying, 'contradicts'::character varying, 'derived_from'::character varying, 'outcome_of'::character varying])::text[])))
);
CREATE TABLE public.memory_producer (
    id uuid NOT NULL,
    role character varying(10) NOT NULL,
    name character varying(80) NOT NULL,
    schedule character varying(4),
    created_at timestamp with time zone NOT NULL,
    agent_id uuid NOT NULL,
    CONSTRAINT producer_named CHECK ((NOT ((name)::text = ''::text))),
    CONSTRAINT producer_role_known CHECK (((role)::text = ANY ((ARRAY['analysis'::character varying, 'trading'::character varying, 'review'::character varying, 'autopilot'::character varying])::text[]))),
    CONSTRAINT producer_schedule_known CHECK (((schedule IS NULL) OR ((schedule)::text = ANY ((ARRAY['5m'::character varying, '15m'::character varying, '30m'::character varying, '1h'::character varying, '2h'::character varying, '4h'::character varying, '8h'::character varying, '12h'::character varying, '1d'::character varying])::text[]))))
);
CREATE TABLE public.memory_producer_enablement (
    enabled_at timestamp with time zone NOT NULL,
    disabled_at timestamp with time zone,
    agent_id uuid NOT NULL,
    producer_id uuid NOT NULL,
    CONSTRAINT enablement_period_forward CHECK (((disabled_at IS NULL) OR (disabled_at > enabled_at)))
);
CREATE TABLE public.memory_queue_claim (
    row_id integer NOT NULL,
    cluster_id uuid NOT NULL,
    worker integer,
    worker_until timestamp with time zone,
    CONSTRAINT queue_claim_limit_is_a_workers CHECK (((worker IS NOT NULL) OR (worker_until IS NULL)))
);
CREATE TABLE public.memory_record (
    id uuid NOT NULL,
    seq bigint NOT NULL,
    type character varying(64) NOT NULL,
    scope character varying(11) NOT NULL,
    timeframe character varying(4),
    content text NOT NULL,
    metadata jsonb NOT NULL,
    tags text[] NOT NULL,
    originals_hash bytea,
    created_at timestamp with time zone NOT NULL,
    stale_after timestamp with time zone,
    expiry_policy character varying(40),
    content_digest bytea NOT NULL,
    content_salt bytea,
    imported_at timestamp with time zone,
    purged_at timestamp with time zone,
    agent_id uuid NOT NULL,
    producer_id uuid,
    run_id uuid,
    CONSTRAINT record_content_unless_purged CHECK (((NOT (content = ''::text)) OR (NOT (purged_at IS NULL)))),
    CONSTRAINT record_digest_is_sha256 CHECK ((length(content_digest) = 32)),
    CONSTRAINT record_has_provenance CHECK (((imported_at IS NOT NULL) OR ((producer_id IS NOT NULL) AND (run_id IS NOT NULL)))),
    CONSTRAINT record_metadata_is_object CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT record_originals_is_sha256 CHECK (((originals_hash IS NULL) OR (length(originals_hash) = 32))),
    CONSTRAINT record_salt_unless_purged CHECK ((((content_salt IS NOT NULL) AND (purged_at IS NULL)) OR ((content_salt IS NULL) AND (purged_at IS NOT NULL)))),
    CONSTRAINT record_scope_known CHECK (((scope)::text = ANY ((ARRAY['agent'::character varying, 'instruments'::character varying])::text[]))),
    CONSTRAINT record_type_valid CHECK (((type)::text ~ '^[a-z][a-z0-9_]{0,63}$'::text))
);
CREATE TABLE public.memory_run (
    id uuid NOT NULL,
    schedule character varying(4),
    evidence_boundary timestamp with time zone,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    status character varying(10) NOT NULL,
    error text NOT NULL,
    implicit boolean NOT NULL,
    agent_id uuid NOT NULL,
    producer_id uuid NOT NULL,
    bound_token_id uuid,
    CONSTRAINT run_boundary_matches_schedule CHECK ((((evidence_boundary IS NULL) AND (schedule IS NULL)) OR ((evidence_boundary IS NOT NULL) AND (evidence_boundary <= started_at) AND ((schedule)::text = ANY ((ARRAY['5m'::character varying, '15m'::character varying, '30m'::character varying, '1h'::character varying, '2h'::character varying, '4h'::character varying, '8h'::character varying, '12h'::character varying, '1d'::character varying])::text[])) AND (schedule IS NOT NULL)))),
    CONSTRAINT run_end_matches_status CHECK ((((ended_at IS NULL) AND ((status)::text = 'running'::text)) OR ((ended_at IS NOT NULL) AND ((status)::text = ANY ((ARRAY['succeeded'::character varying, 'failed'::character varying])::text[])))))
);
CREATE TABLE public.memory_selection (
    id uuid NOT NULL,
    selected_at timestamp with time zone NOT NULL,
    deselected_at timestamp with time zone,
    agent_id uuid NOT NULL,
    instrument_id character varying(64) NOT NULL,
    CONSTRAINT selection_period_forward CHECK (((deselected_at IS NULL) OR (deselected_at > selected_at)))
);
CREATE TABLE public.memory_standing (
    record_id uuid NOT NULL,
    type character varying(64) NOT NULL,
    strategy_type character varying(20),
    outcome character varying(7),
    tags text[] NOT NULL,
    confidence numeric(5,4) NOT NULL,
    validated_count integer NOT NULL,
    relevance_score numeric(5,4) NOT NULL,
    config jsonb,
    config_hash bytea,
    metrics jsonb NOT NULL,
    visibility character varying(9) NOT NULL,
    source_node_uuid uuid,
    community_confirmations integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    revision integer NOT NULL,
    agent_id uuid NOT NULL,
    author_id integer,
    merged_into_id uuid,
    symbol_id character varying(64),
    CONSTRAINT standing_confidence_in_range CHECK (((confidence >= (0)::numeric) AND (confidence <= (1)::numeric))),
    CONSTRAINT standing_config_has_its_hash CHECK ((((config IS NULL) AND (config_hash IS NULL)) OR ((config IS NOT NULL) AND (config_hash IS NOT NULL) AND (length(config_hash) = 32)))),
    CONSTRAINT standing_counts_not_negative CHECK (((community_confirmations >= 0) AND (revision >= 1))),
    CONSTRAINT standing_not_merged_into_itself CHECK (((merged_into_id IS NULL) OR (NOT ((merged_into_id = record_id) AND (merged_into_id IS NOT NULL))))),
    CONSTRAINT standing_outcome_known CHECK (((outcome IS NULL) OR ((outcome)::text = ANY ((ARRAY['success'::character varying, 'failure'::character varying])::text[])))),
    CONSTRAINT standing_relevance_in_range CHECK (((relevance_score >= (0)::numeric) AND (relevance_score <= (1)::numeric))),
    CONSTRAINT standing_rule_is_cross_asset CHECK (((NOT ((type)::text = 'rule'::text)) OR (symbol_id IS NULL))),
    CONSTRAINT standing_strategy_type_known CHECK (((strategy_type IS NULL) OR ((strategy_type)::text = ANY ((ARRAY['breakout'::character varying, 'mean_reversion'::character varying, 'trend_following'::character varying, 'scalping'::character varying, 'momentum'::character varying])::text[])))),
    CONSTRAINT standing_tags_not_empty CHECK ((NOT (tags @> ARRAY[''::text]))),
    CONSTRAINT standing_type_is_a_tier CHECK (((type)::text = ANY ((ARRAY['rule'::character varying, 'strategy_insight'::character varying, 'optimization'::character varying])::text[]))),
    CONSTRAINT standing_visibility_known CHECK (((visibility)::text = ANY ((ARRAY['private'::character varying, 'community'::character varying])::text[])))
);
CREATE TABLE public.memory_standing_change (
    revision integer NOT NULL,
    event character varying(32) NOT NULL,
    before jsonb,
    after jsonb,
    cause_kind character varying(32) NOT NULL,
    cause_id character varying(64) NOT NULL,
    detail jsonb NOT NULL,
    at timestamp with time zone NOT NULL,
    agent_id uuid NOT NULL,
    record_id uuid NOT NULL,
    CONSTRAINT standing_change_begins_with_nothing CHECK ((((before IS NULL) AND (revision = 1)) OR ((before IS NOT NULL) AND (revision > 1)))),
    CONSTRAINT standing_change_ends_when_purged CHECK ((((after IS NULL) AND ((event)::text = 'purged'::text)) OR ((NOT ((event)::text = 'purged'::text)) AND (after IS NOT NULL)))),
    CONSTRAINT standing_change_named CHECK ((((cause_kind)::text ~ '^[a-z][a-z_]{0,31}$'::text) AND ((event)::text ~ '^[a-z][a-z_]{0,31}$'::text)))
);
CREATE TABLE public.memory_tag (
    tag text NOT NULL,
    type character varying(64) NOT NULL,
    symbol character varying(64) NOT NULL,
    strategy_type character varying(20) NOT NULL,
    relevance numeric(5,4) NOT NULL,
    confidence numeric(5,4) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    agent_id uuid NOT NULL,
    record_id uuid NOT NULL
);
CREATE TABLE public.memory_target (
    ord smallint NOT NULL,
    scope character varying(11) DEFAULT 'instruments'::character varying NOT NULL,
    type character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    originals_hash bytea,
    agent_id uuid NOT NULL,
    instrument_id character varying(64) NOT NULL,
    producer_id uuid,
    record_id uuid NOT NULL,
    CONSTRAINT target_scope_instruments CHECK (((scope)::text = 'instruments'::text))
);
CREATE TABLE public.memory_term (
    agent_id uuid NOT NULL,
    lexeme text NOT NULL COLLATE pg_catalog."C",
    record_id uuid NOT NULL,
    tf smallint NOT NULL,
    len integer NOT NULL,
    CONSTRAINT term_frequency_positive CHECK ((tf > 0)),
    CONSTRAINT term_length_covers_frequency CHECK ((len >= tf))
);
CREATE TABLE public.memory_token (
    id uuid NOT NULL,
    key character varying(32) NOT NULL,
    secret_sha256 bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    agent_id uuid NOT NULL,
    producer_id uuid NOT NULL,
    run_id uuid,
    CONSTRAINT token_of_run_expires CHECK (((run_id IS NULL) OR (expires_at IS NOT NULL)))
);
CREATE TABLE public.memory_write_fault (
    minute timestamp with time zone NOT NULL,
    count integer NOT NULL,
    CONSTRAINT write_fault_counted CHECK ((count >= 1))
);
CREATE TABLE public.trading_candle (
    timeframe character varying(4) NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    open double precision NOT NULL,
    high double precision NOT NULL,
    low double precision NOT NULL,
    close double precision NOT NULL,
    volume double precision NOT NULL,
    source character varying(40) NOT NULL,
    imported_at timestamp with time zone NOT NULL,
    instrument_id character varying(64) NOT NULL,
    CONSTRAINT candle_high_finite CHECK ((high < 'Infinity'::double precision)),
    CONSTRAINT candle_high_highest CHECK (((high >= open) AND (high >= close))),
    CONSTRAINT candle_low_lowest CHECK (((low <= open) AND (low <= close))),
    CONSTRAINT candle_price_positive CHECK ((low > (0.0)::double precision)),
    CONSTRAINT candle_source_named CHECK ((NOT ((source)::text = ''::text))),
    CONSTRAINT candle_timeframe_known CHECK (((timeframe)::text = ANY ((ARRAY['1m'::character varying, '3m'::character varying, '5m'::character varying, '15m'::character varying, '30m'::character varying, '1h'::character varying, '2h'::character varying, '4h'::character varying, '8h'::character varying, '12h'::character varying, '1d'::character varying, '3d'::character varying, '1w'::character varying])::text[]))),
    CONSTRAINT candle_volume_valid CHECK (((volume >= (0.0)::double precision) AND (volume < 'Infinity'::double precision)))
);
CREATE TABLE public.trading_funding_rate (
    at timestamp with time zone NOT NULL,
    rate double precision NOT NULL,
    instrument_id character varying(64) NOT NULL,
    CONSTRAINT funding_rate_finite CHECK (((rate > '-Infinity'::double precision) AND (rate < 'Infinity'::double precision)))
);
CREATE TABLE public.trading_indicator_run (
    id uuid NOT NULL,
    timeframe character varying(4) NOT NULL,
    computed_at timestamp with time zone NOT NULL,
    engine character varying(40) NOT NULL,
    indicators jsonb NOT NULL,
    bars jsonb NOT NULL,
    "values" jsonb NOT NULL,
    data_source character varying(120) NOT NULL,
    agent_id uuid NOT NULL,
    instrument_id character varying(64) NOT NULL,
    run_id uuid,
    CONSTRAINT indicator_run_engine_named CHECK ((NOT ((engine)::text = ''::text))),
    CONSTRAINT indicator_run_timeframe_known CHECK (((timeframe)::text = ANY ((ARRAY['1m'::character varying, '3m'::character varying, '5m'::character varying, '15m'::character varying, '30m'::character varying, '1h'::character varying, '2h'::character varying, '4h'::character varying, '8h'::character varying, '12h'::character varying, '1d'::character varying, '3d'::character varying, '1w'::character varying])::text[])))
);
CREATE TABLE public.trading_spot_pair (
    instrument_id character varying(64) NOT NULL,
    base character varying(64) NOT NULL,
    quote character varying(64) NOT NULL,
    CONSTRAINT spot_pair_tokens_named CHECK (((NOT ((base)::text = ''::text)) AND (NOT ((quote)::text = ''::text))))
);
INSERT INTO public.auth_permission VALUES
	(1, 'Can add agent', 1, 'add_agent'),
	(2, 'Can change agent', 1, 'change_agent'),
	(3, 'Can delete agent', 1, 'delete_agent'),
	(4, 'Can view agent', 1, 'view_agent'),
	(5, 'Can add instrument', 5, 'add_instrument'),
	(6, 'Can change instrument', 5, 'change_instrument'),
	(7, 'Can delete instrument', 5, 'delete_instrument'),
	(8, 'Can view instrument', 5, 'view_instrument'),
	(9, 'Can add producer', 8, 'add_producer'),
	(10, 'Can change producer', 8, 'change_producer'),
	(11, 'Can delete producer', 8, 'delete_producer'),
	(12, 'Can view producer', 8, 'view_producer'),
	(13, 'Can add producer enablement', 9, 'add_producerenablement'),
	(14, 'Can change producer enablement', 9, 'change_producerenablement'),
	(15, 'Can delete producer enablement', 9, 'delete_producerenablement'),
	(16, 'Can view producer enablement', 9, 'view_producerenablement'),
	(17, 'Can add record', 11, 'add_record'),
	(18, 'Can change record', 11, 'change_record'),
	(19, 'Can delete record', 11, 'delete_record'),
	(20, 'Can view record', 11, 'view_record'),
	(21, 'Can add head', 4, 'add_head'),
	(22, 'Can change head', 4, 'change_head'),
	(23, 'Can delete head', 4, 'delete_head'),
	(24, 'Can view head', 4, 'view_head'),
	(25, 'Can add record link', 12, 'add_recordlink'),
	(26, 'Can change record link', 12, 'change_recordlink'),
	(27, 'Can delete record link', 12, 'delete_recordlink'),
	(28, 'Can view record link', 12, 'view_recordlink'),
	(29, 'Can add record target', 13, 'add_recordtarget'),
	(30, 'Can change record target', 13, 'change_recordtarget'),
	(31, 'Can delete record target', 13, 'delete_recordtarget'),
	(32, 'Can view record target', 13, 'view_recordtarget'),
	(33, 'Can add run', 14, 'add_run'),
	(34, 'Can change run', 14, 'change_run'),
	(35, 'Can delete run', 14, 'delete_run'),
	(36, 'Can view run', 14, 'view_run'),
	(37, 'Can add selection', 15, 'add_selection'),
	(38, 'Can change selection', 15, 'change_selection'),
	(39, 'Can delete selection', 15, 'delete_selection'),
	(40, 'Can view selection', 15, 'view_selection'),
	(41, 'Can add token', 19, 'add_token'),
	(42, 'Can change token', 19, 'change_token'),
	(43, 'Can delete token', 19, 'delete_token'),
	(44, 'Can view token', 19, 'view_token'),
	(45, 'Can add agent tail', 2, 'add_agenttail'),
	(46, 'Can change agent tail', 2, 'change_agenttail'),
	(47, 'Can delete agent tail', 2, 'delete_agenttail'),
	(48, 'Can view agent tail', 2, 'view_agenttail'),
	(49, 'Can add posting', 7, 'add_posting'),
	(50, 'Can change posting', 7, 'change_posting');
INSERT INTO public.auth_permission VALUES
	(51, 'Can delete posting', 7, 'delete_posting'),
	(52, 'Can view posting', 7, 'view_posting'),
	(53, 'Can add standing', 16, 'add_standing'),
	(54, 'Can change standing', 16, 'change_standing'),
	(55, 'Can delete standing', 16, 'delete_standing'),
	(56, 'Can view standing', 16, 'view_standing'),
	(57, 'Can add standing change', 17, 'add_standingchange'),
	(58, 'Can change standing change', 17, 'change_standingchange'),
	(59, 'Can delete standing change', 17, 'delete_standingchange'),
	(60, 'Can view standing change', 17, 'view_standingchange'),
	(61, 'Can add tag', 18, 'add_tag'),
	(62, 'Can change tag', 18, 'change_tag'),
	(63, 'Can delete tag', 18, 'delete_tag'),
	(64, 'Can view tag', 18, 'view_tag'),
	(65, 'Can add cluster', 3, 'add_cluster'),
	(66, 'Can change cluster', 3, 'change_cluster'),
	(67, 'Can delete cluster', 3, 'delete_cluster'),
	(68, 'Can view cluster', 3, 'view_cluster'),
	(69, 'Can add job run', 6, 'add_jobrun'),
	(70, 'Can change job run', 6, 'change_jobrun'),
	(71, 'Can delete job run', 6, 'delete_jobrun'),
	(72, 'Can view job run', 6, 'view_jobrun'),
	(73, 'Can add queue claim', 10, 'add_queueclaim'),
	(74, 'Can change queue claim', 10, 'change_queueclaim'),
	(75, 'Can delete queue claim', 10, 'delete_queueclaim'),
	(76, 'Can view queue claim', 10, 'view_queueclaim'),
	(77, 'Can add write fault', 20, 'add_writefault'),
	(78, 'Can change write fault', 20, 'change_writefault'),
	(79, 'Can delete write fault', 20, 'delete_writefault'),
	(80, 'Can view write fault', 20, 'view_writefault'),
	(81, 'Can add spot pair', 24, 'add_spotpair'),
	(82, 'Can change spot pair', 24, 'change_spotpair'),
	(83, 'Can delete spot pair', 24, 'delete_spotpair'),
	(84, 'Can view spot pair', 24, 'view_spotpair'),
	(85, 'Can add candle', 21, 'add_candle'),
	(86, 'Can change candle', 21, 'change_candle'),
	(87, 'Can delete candle', 21, 'delete_candle'),
	(88, 'Can view candle', 21, 'view_candle'),
	(89, 'Can add funding rate', 22, 'add_fundingrate'),
	(90, 'Can change funding rate', 22, 'change_fundingrate'),
	(91, 'Can delete funding rate', 22, 'delete_fundingrate'),
	(92, 'Can view funding rate', 22, 'view_fundingrate'),
	(93, 'Can add indicator run', 23, 'add_indicatorrun'),
	(94, 'Can change indicator run', 23, 'change_indicatorrun'),
	(95, 'Can delete indicator run', 23, 'delete_indicatorrun'),
	(96, 'Can view indicator run', 23, 'view_indicatorrun'),
	(97, 'Can add backtest', 25, 'add_backtest'),
	(98, 'Can change backtest', 25, 'change_backtest'),
	(99, 'Can delete backtest', 25, 'delete_backtest'),
	(100, 'Can view backtest', 25, 'view_backtest');
INSERT INTO public.auth_permission VALUES
	(101, 'Can add session', 28, 'add_session'),
	(102, 'Can change session', 28, 'change_session'),
	(103, 'Can delete session', 28, 'delete_session'),
	(104, 'Can view session', 28, 'view_session'),
	(105, 'Can add event', 26, 'add_event'),
	(106, 'Can change event', 26, 'change_event'),
	(107, 'Can delete event', 26, 'delete_event'),
	(108, 'Can view event', 26, 'view_event'),
	(109, 'Can add step', 29, 'add_step'),
	(110, 'Can change step', 29, 'change_step'),
	(111, 'Can delete step', 29, 'delete_step'),
	(112, 'Can view step', 29, 'view_step'),
	(113, 'Can add synthesis claim', 30, 'add_synthesisclaim'),
	(114, 'Can change synthesis claim', 30, 'change_synthesisclaim'),
	(115, 'Can delete synthesis claim', 30, 'delete_synthesisclaim'),
	(116, 'Can view synthesis claim', 30, 'view_synthesisclaim'),
	(117, 'Can add judgement', 27, 'add_judgement'),
	(118, 'Can change judgement', 27, 'change_judgement'),
	(119, 'Can delete judgement', 27, 'delete_judgement'),
	(120, 'Can view judgement', 27, 'view_judgement'),
	(121, 'Can add log entry', 31, 'add_logentry'),
	(122, 'Can change log entry', 31, 'change_logentry'),
	(123, 'Can delete log entry', 31, 'delete_logentry'),
	(124, 'Can view log entry', 31, 'view_logentry'),
	(125, 'Can add permission', 33, 'add_permission'),
	(126, 'Can change permission', 33, 'change_permission'),
	(127, 'Can delete permission', 33, 'delete_permission'),
	(128, 'Can view permission', 33, 'view_permission'),
	(129, 'Can add group', 32, 'add_group'),
	(130, 'Can change group', 32, 'change_group'),
	(131, 'Can delete group', 32, 'delete_group'),
	(132, 'Can view group', 32, 'view_group'),
	(133, 'Can add user', 34, 'add_user'),
	(134, 'Can change user', 34, 'change_user'),
	(135, 'Can delete user', 34, 'delete_user'),
	(136, 'Can view user', 34, 'view_user'),
	(137, 'Can add content type', 35, 'add_contenttype'),
	(138, 'Can change content type', 35, 'change_contenttype'),
	(139, 'Can delete content type', 35, 'delete_contenttype'),
	(140, 'Can view content type', 35, 'view_contenttype'),
	(141, 'Can add session', 36, 'add_session'),
	(142, 'Can change session', 36, 'change_session'),
	(143, 'Can delete session', 36, 'delete_session'),
	(144, 'Can view session', 36, 'view_session'),
	(145, 'Can add access attempt', 37, 'add_accessattempt'),
	(146, 'Can change access attempt', 37, 'change_accessattempt'),
	(147, 'Can delete access attempt', 37, 'delete_accessattempt'),
	(148, 'Can view access attempt', 37, 'view_accessattempt'),
	(149, 'Can add access log', 40, 'add_accesslog'),
	(150, 'Can change access log', 40, 'change_accesslog');
INSERT INTO public.auth_permission VALUES
	(151, 'Can delete access log', 40, 'delete_accesslog'),
	(152, 'Can view access log', 40, 'view_accesslog'),
	(153, 'Can add access failure', 39, 'add_accessfailurelog'),
	(154, 'Can change access failure', 39, 'change_accessfailurelog'),
	(155, 'Can delete access failure', 39, 'delete_accessfailurelog'),
	(156, 'Can view access failure', 39, 'view_accessfailurelog'),
	(157, 'Can add access attempt expiration', 38, 'add_accessattemptexpiration'),
	(158, 'Can change access attempt expiration', 38, 'change_accessattemptexpiration'),
	(159, 'Can delete access attempt expiration', 38, 'delete_accessattemptexpiration'),
	(160, 'Can view access attempt expiration', 38, 'view_accessattemptexpiration'),
	(161, 'Can add Scheduled task', 43, 'add_schedule'),
	(162, 'Can change Scheduled task', 43, 'change_schedule'),
	(163, 'Can delete Scheduled task', 43, 'delete_schedule'),
	(164, 'Can view Scheduled task', 43, 'view_schedule'),
	(165, 'Can add Task', 45, 'add_task'),
	(166, 'Can change Task', 45, 'change_task'),
	(167, 'Can delete Task', 45, 'delete_task'),
	(168, 'Can view Task', 45, 'view_task'),
	(169, 'Can add Failed task', 41, 'add_failure'),
	(170, 'Can change Failed task', 41, 'change_failure'),
	(171, 'Can delete Failed task', 41, 'delete_failure'),
	(172, 'Can view Failed task', 41, 'view_failure'),
	(173, 'Can add Successful task', 44, 'add_success'),
	(174, 'Can change Successful task', 44, 'change_success'),
	(175, 'Can delete Successful task', 44, 'delete_success'),
	(176, 'Can view Successful task', 44, 'view_success'),
	(177, 'Can add Queued task', 42, 'add_ormq'),
	(178, 'Can change Queued task', 42, 'change_ormq'),
	(179, 'Can delete Queued task', 42, 'delete_ormq'),
	(180, 'Can view Queued task', 42, 'view_ormq');
INSERT INTO public.auth_user VALUES
	(1, 'md5$z6TUQjIL4zUazGtzr2JtgH$19c6fc8cf2fe96f3a808d58260207a22', '2026-09-30 12:01:07+00', false, 'ours', '', '', '', false, true, '2026-09-30 12:01:07+00'),
	(2, 'md5$JTxBLPKvucR5pSjKtg8FO0$5376c3fee509ed58f3c469f1cea64792', '2026-09-30 12:01:07+00', false, 'theirs', '', '', '', false, true, '2026-09-30 12:01:07+00');
INSERT INTO public.autopilot_event VALUES
	(1, 'started', '', 0, '…', '{}', '2026-09-30 12:01:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-049e-70aa-b1be-e6d937773623'),
	(1, 'started', '', 0, '…', '{}', '2026-09-30 12:01:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-0a66-7189-afb0-66fe83f98384');
INSERT INTO public.autopilot_session VALUES
	('01a22d77-049e-70aa-b1be-e6d937773623', '01a22d77-0498-73bc-b52b-d17511327e4a', 'breakouts', '1h', 3, false, 'free', 'off', 'three_insights', 'offline', NULL, NULL, NULL, 'succeeded', 1, 0, '{}', 1, '2026-09-30 12:00:07+00', NULL, '2026-09-30 12:01:07+00', NULL, '2026-09-30 12:01:07+00', '', '', '01a22d77-0144-7690-81d7-e9b0c29893b0', NULL, NULL, 'ETH'),
	('01a22d77-0a66-7189-afb0-66fe83f98384', '01a22d77-0a63-757b-bb85-34263765569f', 'breakouts', '1h', 3, false, 'free', 'off', 'three_insights', 'offline', NULL, NULL, NULL, 'succeeded', 1, 0, '{}', 1, '2026-09-30 12:00:07+00', NULL, '2026-09-30 12:01:07+00', NULL, '2026-09-30 12:01:07+00', '', '', '01a22d77-0847-76b3-b397-92c538e4c768', NULL, NULL, 'ETH');
INSERT INTO public.axes_accesslog VALUES
	(1, '<unknown>', NULL, 'ours', '<unknown>', '<unknown>', '2026-09-30 12:01:07+00', NULL, 'd1ebf158871ff10323fba4935e40de429c1e18038f0277c4f5ec9accc87cf2dc'),
	(2, '<unknown>', NULL, 'theirs', '<unknown>', '<unknown>', '2026-09-30 12:01:07+00', NULL, '12146e3daf4b5ba580be2924b1b1941aa5fc76bd12a98699b8880808d32adce3');
INSERT INTO public.django_content_type VALUES
	(1, 'memory', 'agent'),
	(2, 'memory', 'agenttail'),
	(3, 'memory', 'cluster'),
	(4, 'memory', 'head'),
	(5, 'memory', 'instrument'),
	(6, 'memory', 'jobrun'),
	(7, 'memory', 'posting'),
	(8, 'memory', 'producer'),
	(9, 'memory', 'producerenablement'),
	(10, 'memory', 'queueclaim'),
	(11, 'memory', 'record'),
	(12, 'memory', 'recordlink'),
	(13, 'memory', 'recordtarget'),
	(14, 'memory', 'run'),
	(15, 'memory', 'selection'),
	(16, 'memory', 'standing'),
	(17, 'memory', 'standingchange'),
	(18, 'memory', 'tag'),
	(19, 'memory', 'token'),
	(20, 'memory', 'writefault'),
	(21, 'trading', 'candle'),
	(22, 'trading', 'fundingrate'),
	(23, 'trading', 'indicatorrun'),
	(24, 'trading', 'spotpair'),
	(25, 'autopilot', 'backtest'),
	(26, 'autopilot', 'event'),
	(27, 'autopilot', 'judgement'),
	(28, 'autopilot', 'session'),
	(29, 'autopilot', 'step'),
	(30, 'autopilot', 'synthesisclaim'),
	(31, 'admin', 'logentry'),
	(32, 'auth', 'group'),
	(33, 'auth', 'permission'),
	(34, 'auth', 'user'),
	(35, 'contenttypes', 'contenttype'),
	(36, 'sessions', 'session'),
	(37, 'axes', 'accessattempt'),
	(38, 'axes', 'accessattemptexpiration'),
	(39, 'axes', 'accessfailurelog'),
	(40, 'axes', 'accesslog'),
	(41, 'django_q', 'failure'),
	(42, 'django_q', 'ormq'),
	(43, 'django_q', 'schedule'),
	(44, 'django_q', 'success'),
	(45, 'django_q', 'task');
INSERT INTO public.django_migrations VALUES
	(1, 'contenttypes', '0001_initial', '2026-09-30 12:01:07+00'),
	(2, 'auth', '0001_initial', '2026-09-30 12:01:07+00'),
	(3, 'admin', '0001_initial', '2026-09-30 12:01:07+00'),
	(4, 'admin', '0002_logentry_remove_auto_add', '2026-09-30 12:01:07+00'),
	(5, 'admin', '0003_logentry_add_action_flag_choices', '2026-09-30 12:01:07+00'),
	(6, 'contenttypes', '0002_remove_content_type_name', '2026-09-30 12:01:07+00'),
	(7, 'auth', '0002_alter_permission_name_max_length', '2026-09-30 12:01:07+00'),
	(8, 'auth', '0003_alter_user_email_max_length', '2026-09-30 12:01:07+00'),
	(9, 'auth', '0004_alter_user_username_opts', '2026-09-30 12:01:07+00'),
	(10, 'auth', '0005_alter_user_last_login_null', '2026-09-30 12:01:07+00'),
	(11, 'auth', '0006_require_contenttypes_0002', '2026-09-30 12:01:07+00'),
	(12, 'auth', '0007_alter_validators_add_error_messages', '2026-09-30 12:01:07+00'),
	(13, 'auth', '0008_alter_user_username_max_length', '2026-09-30 12:01:07+00'),
	(14, 'auth', '0009_alter_user_last_name_max_length', '2026-09-30 12:01:07+00'),
	(15, 'auth', '0010_alter_group_name_max_length', '2026-09-30 12:01:07+00'),
	(16, 'auth', '0011_update_proxy_permissions', '2026-09-30 12:01:07+00'),
	(17, 'auth', '0012_alter_user_first_name_max_length', '2026-09-30 12:01:07+00'),
	(18, 'memory', '0001_initial', '2026-09-30 12:01:07+00'),
	(19, 'memory', '0002_integrity', '2026-09-30 12:01:07+00'),
	(20, 'memory', '0003_write_once', '2026-09-30 12:01:07+00'),
	(21, 'memory', '0004_standings', '2026-09-30 12:01:07+00'),
	(22, 'memory', '0005_standing_rules', '2026-09-30 12:01:07+00'),
	(23, 'memory', '0006_plan', '2026-09-30 12:01:07+00'),
	(24, 'django_q', '0001_initial', '2026-09-30 12:01:07+00'),
	(25, 'django_q', '0002_auto_20150630_1624', '2026-09-30 12:01:07+00'),
	(26, 'django_q', '0003_auto_20150708_1326', '2026-09-30 12:01:07+00'),
	(27, 'django_q', '0004_auto_20150710_1043', '2026-09-30 12:01:07+00'),
	(28, 'django_q', '0005_auto_20150718_1506', '2026-09-30 12:01:07+00'),
	(29, 'django_q', '0006_auto_20150805_1817', '2026-09-30 12:01:07+00'),
	(30, 'django_q', '0007_ormq', '2026-09-30 12:01:07+00'),
	(31, 'django_q', '0008_auto_20160224_1026', '2026-09-30 12:01:07+00'),
	(32, 'django_q', '0009_auto_20171009_0915', '2026-09-30 12:01:07+00'),
	(33, 'django_q', '0010_auto_20200610_0856', '2026-09-30 12:01:07+00'),
	(34, 'django_q', '0011_auto_20200628_1055', '2026-09-30 12:01:07+00'),
	(35, 'django_q', '0012_auto_20200702_1608', '2026-09-30 12:01:07+00'),
	(36, 'django_q', '0013_task_attempt_count', '2026-09-30 12:01:07+00'),
	(37, 'django_q', '0014_schedule_cluster', '2026-09-30 12:01:07+00'),
	(38, 'django_q', '0015_alter_schedule_schedule_type', '2026-09-30 12:01:07+00'),
	(39, 'django_q', '0016_schedule_intended_date_kwarg', '2026-09-30 12:01:07+00'),
	(40, 'django_q', '0017_task_cluster_alter', '2026-09-30 12:01:07+00'),
	(41, 'django_q', '0018_task_success_index', '2026-09-30 12:01:07+00'),
	(42, 'django_q', '0019_alter_task_options_alter_ormq_key_alter_ormq_lock_and_more', '2026-09-30 12:01:07+00'),
	(43, 'memory', '0007_jobs', '2026-09-30 12:01:07+00'),
	(44, 'autopilot', '0001_initial', '2026-09-30 12:01:07+00'),
	(45, 'autopilot', '0002_integrity', '2026-09-30 12:01:07+00'),
	(46, 'autopilot', '0003_session_open_once', '2026-09-30 12:01:07+00'),
	(47, 'autopilot', '0004_learning', '2026-09-30 12:01:07+00'),
	(48, 'axes', '0001_initial', '2026-09-30 12:01:07+00'),
	(49, 'axes', '0002_auto_20151217_2044', '2026-09-30 12:01:07+00'),
	(50, 'axes', '0003_auto_20160322_0929', '2026-09-30 12:01:07+00');
INSERT INTO public.django_migrations VALUES
	(51, 'axes', '0004_auto_20181024_1538', '2026-09-30 12:01:07+00'),
	(52, 'axes', '0005_remove_accessattempt_trusted', '2026-09-30 12:01:07+00'),
	(53, 'axes', '0006_remove_accesslog_trusted', '2026-09-30 12:01:07+00'),
	(54, 'axes', '0007_alter_accessattempt_unique_together', '2026-09-30 12:01:07+00'),
	(55, 'axes', '0008_accessfailurelog', '2026-09-30 12:01:07+00'),
	(56, 'axes', '0009_add_session_hash', '2026-09-30 12:01:07+00'),
	(57, 'axes', '0010_accessattemptexpiration', '2026-09-30 12:01:07+00'),
	(58, 'sessions', '0001_initial', '2026-09-30 12:01:07+00'),
	(59, 'trading', '0001_initial', '2026-09-30 12:01:07+00');
INSERT INTO public.django_session VALUES
	('cu1tj3s9wfmr8xma5dp45h6xm6r6zi0n', '.eJxVjEEOwiAQRe_C2hAYKBWX7nsGMgyDVA0kpV0Z765NutDtf-_9lwi4rSVsnZcwJ3ERWpx-t4j04LqDdMd6a5JaXZc5yl2RB-1yaomf18P9OyjYy7e2DMk5RqtBG-O8Q9bgXRwIrAFDOCgHabSYFXomb3M-J844ZkJgBeL9AdEvOCU:1xBszj:y6i6M9eimE4zLzMZ9l5q82JMR7LBQUN9UeME01xcmZ4', '2026-10-14 12:01:07+00'),
	('p2u8z39q1s3cgn57xpx5f5dt7yxlwacj', '.eJxVjEsOwjAMBe-SNYrcxP2YJXvOEDmxQwuolZp2hbg7ROoCtm9m3ssE3rcx7EXXMIk5G2dOv1vk9NC5ArnzfFtsWuZtnaKtij1osddF9Hk53L-DkctYa6DcQmZULyA5Cmt0SiSpId9jQuodOvQKDbQI3YDkB9Uemb5C05n3B_V2N0s:1xBszj:j0dsgI6GgjQNI98qcKisH1ZvkO9SMohL6d9AYRSTg2Q', '2026-10-14 12:01:07+00');
INSERT INTO public.memory_agent VALUES
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'ours', 'analysis_schedule_v2', '2026-08-31 12:01:07+00', 1, false, 'free'),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'theirs', 'analysis_schedule_v2', '2026-08-31 12:01:07+00', 2, false, 'free');
INSERT INTO public.memory_agent_tail VALUES
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 12, 0, 39, 11),
	('01a22d77-0847-76b3-b397-92c538e4c768', 12, 0, 39, 11);
INSERT INTO public.memory_head VALUES
	('BTC', 'observation', '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f228-5e58-7c74-8b00-a1deff903198'),
	('ETH', 'observation', '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f228-5e58-7c74-8b00-a1deff903198'),
	('BTC', 'market_context', '2026-09-30 11:54:07+00', '2026-09-30 12:00:00+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f22a-3318-7cfc-a644-5fb5c5a8f523'),
	('', 'observation', '2026-09-30 12:00:07+00', '2026-09-30 12:10:00+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f22f-b158-7cc4-a66b-5e62f74fee66'),
	('BTC', 'observation', '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', '01a0f228-5e58-7e5e-adc0-813073201a16'),
	('ETH', 'observation', '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', '01a0f228-5e58-7e5e-adc0-813073201a16'),
	('BTC', 'market_context', '2026-09-30 11:54:07+00', '2026-09-30 12:00:00+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', '01a0f22a-3318-7ef5-8805-296382aac83d'),
	('', 'observation', '2026-09-30 12:00:07+00', '2026-09-30 12:10:00+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', '01a0f22f-b158-7bca-8666-cc7e39cce9a8');
INSERT INTO public.memory_instrument VALUES
	('BTC', 'perpetual', '', NULL, 0, NULL, false, true, 'test', '2026-08-31 12:01:07+00'),
	('ETH', 'perpetual', '', NULL, 0, NULL, false, true, 'test', '2026-08-31 12:01:07+00');
INSERT INTO public.memory_link VALUES
	(0, 'corrects', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22b-1d78-7378-a680-d078ebcde769', '01a0f228-5e58-7c74-8b00-a1deff903198'),
	(0, 'corrects', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22c-07d8-7d2a-9f77-e0e0f6fc5213', '01a0f228-5e58-7c74-8b00-a1deff903198'),
	(1, 'corrects', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22c-07d8-7d2a-9f77-e0e0f6fc5213', '01a0f22a-3318-7cfc-a644-5fb5c5a8f523'),
	(0, 'corrects', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22c-f238-7071-9952-9b63e2bf3a74', '01a0f22b-1d78-7378-a680-d078ebcde769'),
	(0, 'evidence', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22d-dc98-7815-bf6f-81f06d13024b', '01a0f228-5e58-7c74-8b00-a1deff903198'),
	(0, 'corrects', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22b-1d78-7047-96f2-b8a447dfdf35', '01a0f228-5e58-7e5e-adc0-813073201a16'),
	(0, 'corrects', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22c-07d8-7d7c-958b-7b40c1dc2270', '01a0f228-5e58-7e5e-adc0-813073201a16'),
	(1, 'corrects', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22c-07d8-7d7c-958b-7b40c1dc2270', '01a0f22a-3318-7ef5-8805-296382aac83d'),
	(0, 'corrects', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22c-f238-774a-8e85-51669b7d7993', '01a0f22b-1d78-7047-96f2-b8a447dfdf35'),
	(0, 'evidence', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22d-dc98-7573-af9d-ad36c656f6cd', '01a0f228-5e58-7e5e-adc0-813073201a16');
INSERT INTO public.memory_producer VALUES
	('01a22d77-019d-723e-adb8-7eeda3867bd3', 'analysis', 'ours-analysis', '5m', '2026-08-31 12:01:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0'),
	('01a22d77-01b7-71bc-844f-b8cd507bcbaf', 'trading', 'ours-trading', NULL, '2026-08-31 12:01:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0'),
	('01a22d77-01cf-712c-9d64-f156331c9851', 'review', 'ours-review', NULL, '2026-08-31 12:01:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0'),
	('01a22d77-01ea-764f-86ca-9a44ae85ce38', 'autopilot', 'ours-autopilot', NULL, '2026-08-31 12:01:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0'),
	('01a22d77-087f-778c-869e-afc184170683', 'analysis', 'theirs-analysis', '5m', '2026-08-31 12:01:07+00', '01a22d77-0847-76b3-b397-92c538e4c768'),
	('01a22d77-088c-766f-90b0-e94d7d84ec65', 'trading', 'theirs-trading', NULL, '2026-08-31 12:01:07+00', '01a22d77-0847-76b3-b397-92c538e4c768'),
	('01a22d77-089e-722b-8b54-4391dd5ba421', 'review', 'theirs-review', NULL, '2026-08-31 12:01:07+00', '01a22d77-0847-76b3-b397-92c538e4c768'),
	('01a22d77-08a6-73c9-a807-847a75b4a0cf', 'autopilot', 'theirs-autopilot', NULL, '2026-08-31 12:01:07+00', '01a22d77-0847-76b3-b397-92c538e4c768');
INSERT INTO public.memory_producer_enablement VALUES
	('2026-08-31 12:01:07+00', NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3'),
	('2026-08-31 12:01:07+00', NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01b7-71bc-844f-b8cd507bcbaf'),
	('2026-08-31 12:01:07+00', NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01cf-712c-9d64-f156331c9851'),
	('2026-08-31 12:01:07+00', NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01ea-764f-86ca-9a44ae85ce38'),
	('2026-08-31 12:01:07+00', NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683'),
	('2026-08-31 12:01:07+00', NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-088c-766f-90b0-e94d7d84ec65'),
	('2026-08-31 12:01:07+00', NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-089e-722b-8b54-4391dd5ba421'),
	('2026-08-31 12:01:07+00', NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-08a6-73c9-a807-847a75b4a0cf');
INSERT INTO public.memory_record VALUES
	('01a0f228-5e58-7c74-8b00-a1deff903198', 1, 'observation', 'instruments', '5m', 'Ünïcode ✓ and ''quotes''
in two lines', '{"n": [0.1, null, {"a": "b"}], "x": 10000000000000000000000, "stale_after": "2026-09-30T12:00:00Z", "expiry_policy": "analysis_schedule_v2", "handoff_version": 1}', '{momentum}', NULL, '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', 'analysis_schedule_v2', '\x55e6915d7cade84819d946b7e5bf0c3a3c62d62130d2bf2c6b029933805e8f5d', '\x6ca4a81fa56437dada429d13d689ba53', NULL, NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f228-5e58-7570-8361-2630809d3b4a'),
	('01a0f11d-f338-7af8-a38c-a8aedd8eb21a', 2, 'observation', 'instruments', NULL, 'older, written later', '{"stale_after": "2026-09-30T07:10:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 07:01:07+00', '2026-09-30 07:10:00+00', 'analysis_schedule_v2', '\x528270bed46e90b2d412d25095dcba7703232fcac5318662b3d3b1ad1f43edec', '\x567daae9a24d23ebd2431058cac38047', NULL, NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f11d-f338-7d04-b28a-1e52c666e226'),
	('01a0f22a-3318-7cfc-a644-5fb5c5a8f523', 3, 'market_context', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:00:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 11:54:07+00', '2026-09-30 12:00:00+00', 'analysis_schedule_v2', '\x89c24c05a007675a04671d17014d89e459f2a824c13cd0e7d3c6692f7e1412f0', '\x3b9f2d6ee6703344fef0208efc69326b', NULL, NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f22a-3318-74ad-af0f-7139ba150b64'),
	('01a0f22b-1d78-7378-a680-d078ebcde769', 4, 'observation', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\x2b80d4612775d2f5ae612e16e586a457fe20e5a270b6fca32f33a821452b5103', '2026-09-30 11:55:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\x60b4e46b3cbc847e84c254d4eb0ef90afb23f5c0eac06414cd5b6d2f4f002631', '\x02bc046ec8e5e9e7a929ce0ea18eb42b', NULL, NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f22b-1d78-7409-bb3f-7184cac478eb'),
	('01a0f22c-07d8-7d2a-9f77-e0e0f6fc5213', 5, 'observation', 'agent', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\x9df44052fe242ded7f113a8d26421ad994998551bdc3bafd1a58fd5036dfdfcd', '2026-09-30 11:56:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\x43ead96a5aed698b3d54f5fb5d56bb7334677418a36fb6d4cc2e73fe8e319f9f', '\x2a6f551a70ba160f88432336573e9171', NULL, NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f22c-07d8-718d-8770-de81d7071e4c'),
	('01a0f22c-f238-7071-9952-9b63e2bf3a74', 6, 'again', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\xd8ada3844d16f932af8d91818f8397d6b92e3ed91f112655f0eacb7f7acde343', '2026-09-30 11:57:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\xebe2eea0c3f12b49a5cf4bbd623223f30aba8e8e57d854299d30d30e38a3f169', '\x763a829653b54fb4aedbfaa04beb68ae', NULL, NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f22c-f238-7c44-a4de-a3a622c997ec'),
	('01a0f22d-dc98-7815-bf6f-81f06d13024b', 7, 'trading_decision', 'agent', NULL, 'a quiet market', '{"valid_for_seconds": 600}', '{}', NULL, '2026-09-30 11:58:07+00', '2026-09-30 12:08:07+00', NULL, '\x9e891c574f8e20d82b5924b0769c09f17ea276bf9398dde7185c77870b07c88d', '\x1f6230e2fdd068131a008d4c6c197921', NULL, NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01b7-71bc-844f-b8cd507bcbaf', '01a0f22d-dc98-7832-b367-c52984f40bf1'),
	('01a0f22e-c6f8-7329-a8dc-18ff1515f04c', 8, 'agent_learnings', 'agent', NULL, 'wait for the close', '{}', '{}', NULL, '2026-09-30 11:59:07+00', NULL, NULL, '\x9585203b1c6fd8633b6c141aea4ddad62a0b5bb458c510e471989c66edfe4234', '\xebdec57e6085cc88927d4b0e6188f9b9', NULL, NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01cf-712c-9d64-f156331c9851', '01a0f22e-c6f8-75a9-a6b4-7889ffeadb38'),
	('01a0f22f-b158-7cc4-a66b-5e62f74fee66', 9, 'observation', 'agent', NULL, 'agent-wide', '{"stale_after": "2026-09-30T12:10:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:10:00+00', 'analysis_schedule_v2', '\x2bb2d4aed12c36ef449f2f7d4d7693557d85e69e95404216934093a58fe02359', '\xa987fd64a3ae9208538871a0cd06d912', NULL, NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f22f-b158-7232-8766-7bac6a172044'),
	('01a0f22c-07d8-7a41-b5da-ce75972a94d1', 10, 'rule', 'agent', NULL, 'trade with the trend', '{}', '{trend}', NULL, '2026-09-30 11:56:07+00', NULL, NULL, '\x1dabbd7c320774e9e00658fb34b2a7014a5715bd1a979ddd09764db7bbed5a5c', '\x9338284d37a2ba49af12c6b984aa64b0', NULL, NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01ea-764f-86ca-9a44ae85ce38', '01a0f22c-07d8-7db9-8248-ecfd39a45c5c'),
	('01a0f22c-f238-7015-b792-7733730b09f6', 11, 'strategy_insight', 'agent', NULL, 'breakouts hold when volume doubles', '{}', '{}', NULL, '2026-09-30 11:57:07+00', NULL, NULL, '\x15ce0dbaf1024c93eb124c32ede7488e34b39fe9853ad31c12b6440267726c8f', '\xe0c492916f8339c91ba69c4171e6fb81', NULL, NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01ea-764f-86ca-9a44ae85ce38', '01a0f22c-f238-78c1-905f-b888058b9031'),
	('01a0f22d-dc98-7583-b25f-82111bfd9c60', 12, 'optimization', 'agent', NULL, '', '{}', '{}', NULL, '2026-09-30 11:58:07+00', NULL, NULL, '\x9eac046b14aaa7c9ad9abe4ae32487afa2e16a0e19b6df6769b5756f0f271d34', NULL, NULL, '2026-09-30 11:59:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01ea-764f-86ca-9a44ae85ce38', '01a0f22d-dc98-7146-b09c-9805018e342a'),
	('01a0f228-5e58-7e5e-adc0-813073201a16', 1, 'observation', 'instruments', '5m', 'Ünïcode ✓ and ''quotes''
in two lines', '{"n": [0.1, null, {"a": "b"}], "x": 10000000000000000000000, "stale_after": "2026-09-30T12:00:00Z", "expiry_policy": "analysis_schedule_v2", "handoff_version": 1}', '{momentum}', NULL, '2026-09-30 11:52:07+00', '2026-09-30 12:00:00+00', 'analysis_schedule_v2', '\x80c17efd3596bd2b6f4bd3b9657a60f494a4ea4ca09f470c074eb3157bb8cf93', '\xf8d6cecaf03ca465852374dfebb1f68d', NULL, NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', '01a0f228-5e58-79c3-8697-b983965f6411'),
	('01a0f11d-f338-714e-87cc-d653746faf3e', 2, 'observation', 'instruments', NULL, 'older, written later', '{"stale_after": "2026-09-30T07:10:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 07:01:07+00', '2026-09-30 07:10:00+00', 'analysis_schedule_v2', '\xe62cecd3397c6476012f8b18f990106d59a34e0019eaa125edba768e5d1ab6d9', '\x1bd6b39d837a14a86833282ea5c44bed', NULL, NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', '01a0f11d-f338-76f9-8d39-009fe6f6b1b0'),
	('01a0f22a-3318-7ef5-8805-296382aac83d', 3, 'market_context', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:00:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 11:54:07+00', '2026-09-30 12:00:00+00', 'analysis_schedule_v2', '\x2b9740ee48372507225fefedc81574af07039b1779a61022491d148c273319f7', '\x407676e9c9941f6ce8e3717686d037eb', NULL, NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', '01a0f22a-3318-7e8c-9f50-5e0a4402d856'),
	('01a0f22b-1d78-7047-96f2-b8a447dfdf35', 4, 'observation', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\x91f2eaca8dbef64f213715e5096c3125c88079c344d91062d7ef4a62ae5a5a08', '2026-09-30 11:55:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\xda8b09091b2b75f155df3e36a7e13799e1f454bc5f34ebc14b6e3cb9be3db8fb', '\xbf8831f03faa9d1fdd1192a55eb6a51f', NULL, NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', '01a0f22b-1d78-77a0-ab77-64dbbad6d434'),
	('01a0f22c-07d8-7d7c-958b-7b40c1dc2270', 5, 'observation', 'agent', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\x29bb1886ab2baea978c35700fbb46ece832b446c8e73b6386aded7e4fe6b19c6', '2026-09-30 11:56:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\x2d618f77c73c21d92495ed50dabffbdb2f683e64a4913671b849a518017e7f34', '\x8e2905700d6f55274c2632bc9ac53d55', NULL, NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', '01a0f22c-07d8-74de-bfa6-89210e90c4e7'),
	('01a0f22c-f238-774a-8e85-51669b7d7993', 6, 'again', 'instruments', NULL, 'a quiet market', '{"stale_after": "2026-09-30T12:05:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', '\xcd05a4d333cb2034f85fbfb669e31de798ccc53a80e14773f21d6a80ae284026', '2026-09-30 11:57:07+00', '2026-09-30 12:05:00+00', 'analysis_schedule_v2', '\xb2dcd4d8a8ed9387bcbf89f15b993f4a06a1670640340357763b351f9b3c0ca7', '\xb4b4117d3483534394d64f63624fb38b', NULL, NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', '01a0f22c-f238-7792-a614-43db76890009'),
	('01a0f22d-dc98-7573-af9d-ad36c656f6cd', 7, 'trading_decision', 'agent', NULL, 'a quiet market', '{"valid_for_seconds": 600}', '{}', NULL, '2026-09-30 11:58:07+00', '2026-09-30 12:08:07+00', NULL, '\x6fabe04d934ba7338d7bbbcd4afbf43666f9f051ec1433de1e25154a3a4a8c62', '\x8371fc2c24386f973d658f014b1e26f9', NULL, NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-088c-766f-90b0-e94d7d84ec65', '01a0f22d-dc98-74c6-9f28-8b7a786d1083'),
	('01a0f22e-c6f8-7f20-bdfe-2c0740ddbbd6', 8, 'agent_learnings', 'agent', NULL, 'wait for the close', '{}', '{}', NULL, '2026-09-30 11:59:07+00', NULL, NULL, '\x626aade522b7d443389900c4acbf023513c4455d44cb01f2e03da89afcc36088', '\x47ea5a0d8f38dd8bf00e8e405dc00d04', NULL, NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-089e-722b-8b54-4391dd5ba421', '01a0f22e-c6f8-7aa9-84be-14183c15cab4'),
	('01a0f22f-b158-7bca-8666-cc7e39cce9a8', 9, 'observation', 'agent', NULL, 'agent-wide', '{"stale_after": "2026-09-30T12:10:00Z", "expiry_policy": "analysis_schedule_v2"}', '{}', NULL, '2026-09-30 12:00:07+00', '2026-09-30 12:10:00+00', 'analysis_schedule_v2', '\xc19254b8422d99766b61aea6c0becc70dc16b3fa8c292afe98e310032c0bc57a', '\x475f0b25f21f31d5bf264f58f5465da3', NULL, NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', '01a0f22f-b158-7bf4-a292-fb736fa15c9d'),
	('01a0f22c-07d8-7fe1-94d6-71e69df10562', 10, 'rule', 'agent', NULL, 'trade with the trend', '{}', '{trend}', NULL, '2026-09-30 11:56:07+00', NULL, NULL, '\x5ab17e2a7cbd4f049fa58d46393f9c95c6503a621f67360bdfef506f365cf611', '\x533f6a87f9abbadad48250630fbc6943', NULL, NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-08a6-73c9-a807-847a75b4a0cf', '01a0f22c-07d8-7c05-bfdf-1992f24efbad'),
	('01a0f22c-f238-7827-a87e-002fd0d86dd5', 11, 'strategy_insight', 'agent', NULL, 'breakouts hold when volume doubles', '{}', '{}', NULL, '2026-09-30 11:57:07+00', NULL, NULL, '\xd3db2a09fd0dbd9849e289deb52f880f503bb7fc06da79453133a3134bb0470e', '\xd0fc0af9fb71e7529c929ee40ef573d5', NULL, NULL, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-08a6-73c9-a807-847a75b4a0cf', '01a0f22c-f238-752d-a7c9-ccc7ab78b605'),
	('01a0f22d-dc98-78a8-88c0-61f183c60790', 12, 'optimization', 'agent', NULL, '', '{}', '{}', NULL, '2026-09-30 11:58:07+00', NULL, NULL, '\x56240a41b3717b903bc300c982edb3cd63800be69d05bba98c32f3261fdfde53', NULL, NULL, '2026-09-30 11:59:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-08a6-73c9-a807-847a75b4a0cf', '01a0f22d-dc98-72ce-8d56-ca09fa265d68');
INSERT INTO public.memory_run VALUES
	('01a0f228-5e58-7570-8361-2630809d3b4a', '5m', '2026-09-30 11:50:00+00', '2026-09-30 11:52:07+00', '2026-09-30 11:52:07+00', 'succeeded', '', true, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', NULL),
	('01a0f11d-f338-7d04-b28a-1e52c666e226', '5m', '2026-09-30 07:00:00+00', '2026-09-30 07:01:07+00', '2026-09-30 07:01:07+00', 'succeeded', '', true, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', NULL),
	('01a0f22a-3318-74ad-af0f-7139ba150b64', '5m', '2026-09-30 11:50:00+00', '2026-09-30 11:54:07+00', '2026-09-30 11:54:07+00', 'succeeded', '', true, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', NULL),
	('01a0f22b-1d78-7409-bb3f-7184cac478eb', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:55:07+00', '2026-09-30 11:55:07+00', 'succeeded', '', true, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', NULL),
	('01a0f22c-07d8-718d-8770-de81d7071e4c', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:56:07+00', '2026-09-30 11:56:07+00', 'succeeded', '', true, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', NULL),
	('01a0f22c-f238-7c44-a4de-a3a622c997ec', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:57:07+00', '2026-09-30 11:57:07+00', 'succeeded', '', true, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', NULL),
	('01a0f22d-dc98-7832-b367-c52984f40bf1', NULL, NULL, '2026-09-30 11:58:07+00', '2026-09-30 11:58:07+00', 'succeeded', '', true, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01b7-71bc-844f-b8cd507bcbaf', NULL),
	('01a0f22e-c6f8-75a9-a6b4-7889ffeadb38', NULL, NULL, '2026-09-30 11:59:07+00', '2026-09-30 11:59:07+00', 'succeeded', '', true, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01cf-712c-9d64-f156331c9851', NULL),
	('01a0f22f-b158-7232-8766-7bac6a172044', '5m', '2026-09-30 12:00:00+00', '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', NULL),
	('01a0f22c-07d8-7db9-8248-ecfd39a45c5c', NULL, NULL, '2026-09-30 11:56:07+00', '2026-09-30 11:56:07+00', 'succeeded', '', true, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01ea-764f-86ca-9a44ae85ce38', NULL),
	('01a0f22c-f238-78c1-905f-b888058b9031', NULL, NULL, '2026-09-30 11:57:07+00', '2026-09-30 11:57:07+00', 'succeeded', '', true, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01ea-764f-86ca-9a44ae85ce38', NULL),
	('01a0f22d-dc98-7146-b09c-9805018e342a', NULL, NULL, '2026-09-30 11:58:07+00', '2026-09-30 11:58:07+00', 'succeeded', '', true, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01ea-764f-86ca-9a44ae85ce38', NULL),
	('01a22d77-0498-73bc-b52b-d17511327e4a', NULL, NULL, '2026-09-30 12:01:07+00', '2026-09-30 12:01:07+00', 'succeeded', '', false, '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01ea-764f-86ca-9a44ae85ce38', NULL),
	('01a0f228-5e58-79c3-8697-b983965f6411', '5m', '2026-09-30 11:50:00+00', '2026-09-30 11:52:07+00', '2026-09-30 11:52:07+00', 'succeeded', '', true, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', NULL),
	('01a0f11d-f338-76f9-8d39-009fe6f6b1b0', '5m', '2026-09-30 07:00:00+00', '2026-09-30 07:01:07+00', '2026-09-30 07:01:07+00', 'succeeded', '', true, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', NULL),
	('01a0f22a-3318-7e8c-9f50-5e0a4402d856', '5m', '2026-09-30 11:50:00+00', '2026-09-30 11:54:07+00', '2026-09-30 11:54:07+00', 'succeeded', '', true, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', NULL),
	('01a0f22b-1d78-77a0-ab77-64dbbad6d434', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:55:07+00', '2026-09-30 11:55:07+00', 'succeeded', '', true, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', NULL),
	('01a0f22c-07d8-74de-bfa6-89210e90c4e7', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:56:07+00', '2026-09-30 11:56:07+00', 'succeeded', '', true, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', NULL),
	('01a0f22c-f238-7792-a614-43db76890009', '5m', '2026-09-30 11:55:00+00', '2026-09-30 11:57:07+00', '2026-09-30 11:57:07+00', 'succeeded', '', true, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', NULL),
	('01a0f22d-dc98-74c6-9f28-8b7a786d1083', NULL, NULL, '2026-09-30 11:58:07+00', '2026-09-30 11:58:07+00', 'succeeded', '', true, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-088c-766f-90b0-e94d7d84ec65', NULL),
	('01a0f22e-c6f8-7aa9-84be-14183c15cab4', NULL, NULL, '2026-09-30 11:59:07+00', '2026-09-30 11:59:07+00', 'succeeded', '', true, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-089e-722b-8b54-4391dd5ba421', NULL),
	('01a0f22f-b158-7bf4-a292-fb736fa15c9d', '5m', '2026-09-30 12:00:00+00', '2026-09-30 12:00:07+00', '2026-09-30 12:00:07+00', 'succeeded', '', true, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', NULL),
	('01a0f22c-07d8-7c05-bfdf-1992f24efbad', NULL, NULL, '2026-09-30 11:56:07+00', '2026-09-30 11:56:07+00', 'succeeded', '', true, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-08a6-73c9-a807-847a75b4a0cf', NULL),
	('01a0f22c-f238-752d-a7c9-ccc7ab78b605', NULL, NULL, '2026-09-30 11:57:07+00', '2026-09-30 11:57:07+00', 'succeeded', '', true, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-08a6-73c9-a807-847a75b4a0cf', NULL),
	('01a0f22d-dc98-72ce-8d56-ca09fa265d68', NULL, NULL, '2026-09-30 11:58:07+00', '2026-09-30 11:58:07+00', 'succeeded', '', true, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-08a6-73c9-a807-847a75b4a0cf', NULL),
	('01a22d77-0a63-757b-bb85-34263765569f', NULL, NULL, '2026-09-30 12:01:07+00', '2026-09-30 12:01:07+00', 'succeeded', '', false, '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-08a6-73c9-a807-847a75b4a0cf', NULL);
INSERT INTO public.memory_selection VALUES
	('01a22d77-0176-72fd-b537-73eeb55c7de4', '2026-08-31 12:01:07+00', NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', 'BTC'),
	('01a22d77-0196-74db-a2e1-9e33914fb7c0', '2026-08-31 12:01:07+00', NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', 'ETH'),
	('01a22d77-0860-7371-8d5e-e51b01f7c5ba', '2026-08-31 12:01:07+00', NULL, '01a22d77-0847-76b3-b397-92c538e4c768', 'BTC'),
	('01a22d77-0877-7077-a7ef-9d47b30bca9e', '2026-08-31 12:01:07+00', NULL, '01a22d77-0847-76b3-b397-92c538e4c768', 'ETH');
INSERT INTO public.memory_standing VALUES
	('01a0f22c-07d8-7a41-b5da-ce75972a94d1', 'rule', NULL, NULL, '{trend,rule}', 0.8000, 1, 0.9500, NULL, NULL, '{}', 'private', NULL, 0, '2026-09-30 11:56:07+00', NULL, 2, '01a22d77-0144-7690-81d7-e9b0c29893b0', NULL, NULL, NULL),
	('01a0f22c-f238-7015-b792-7733730b09f6', 'strategy_insight', 'breakout', 'success', '{}', 1.0000, 3, 1.0000, '{"a": [1000000000000000000000000000000], "b": 1.5}', '\x1c43fc0a044f57097fdd4a62eda6f3523e9de08db7bf6ab179976fb6bc79d7ee', '{"pnl": 3.25}', 'private', NULL, 0, '2026-09-30 11:57:07+00', '2026-12-29 11:57:07+00', 2, '01a22d77-0144-7690-81d7-e9b0c29893b0', NULL, NULL, 'ETH'),
	('01a0f22c-07d8-7fe1-94d6-71e69df10562', 'rule', NULL, NULL, '{trend,rule}', 0.8000, 1, 0.9500, NULL, NULL, '{}', 'private', NULL, 0, '2026-09-30 11:56:07+00', NULL, 2, '01a22d77-0847-76b3-b397-92c538e4c768', NULL, NULL, NULL),
	('01a0f22c-f238-7827-a87e-002fd0d86dd5', 'strategy_insight', 'breakout', 'success', '{}', 1.0000, 3, 1.0000, '{"a": [1000000000000000000000000000000], "b": 1.5}', '\x1c43fc0a044f57097fdd4a62eda6f3523e9de08db7bf6ab179976fb6bc79d7ee', '{"pnl": 3.25}', 'private', NULL, 0, '2026-09-30 11:57:07+00', '2026-12-29 11:57:07+00', 2, '01a22d77-0847-76b3-b397-92c538e4c768', NULL, NULL, 'ETH');
INSERT INTO public.memory_standing_change VALUES
	(1, 'created', NULL, '{"tags": ["trend"], "confidence": "0.8000", "expires_at": null, "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', 'run', '01a0f22c-07d8-7db9-8248-ecfd39a45c5c', '{}', '2026-09-30 11:56:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22c-07d8-7a41-b5da-ce75972a94d1'),
	(1, 'created', NULL, '{"tags": [], "confidence": "1.0000", "expires_at": "2026-12-29T11:57:07Z", "visibility": "private", "merged_into": null, "relevance_score": "1.0000", "validated_count": 1, "community_confirmations": 0}', 'run', '01a0f22c-f238-78c1-905f-b888058b9031', '{}', '2026-09-30 11:57:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22c-f238-7015-b792-7733730b09f6'),
	(1, 'created', NULL, '{"tags": [], "confidence": "1.0000", "expires_at": "2026-11-29T11:58:07Z", "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', 'run', '01a0f22d-dc98-7146-b09c-9805018e342a', '{}', '2026-09-30 11:58:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22d-dc98-7583-b25f-82111bfd9c60'),
	(2, 'purged', '{"tags": [], "confidence": "1.0000", "expires_at": "2026-11-29T11:58:07Z", "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', NULL, 'test', '', '{}', '2026-09-30 11:59:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22d-dc98-7583-b25f-82111bfd9c60'),
	(2, 'moved', '{"tags": ["trend"], "confidence": "0.8000", "expires_at": null, "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', '{"tags": ["trend", "rule"], "confidence": "0.8000", "expires_at": null, "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', 'user', '1', '{}', '2026-09-30 12:00:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22c-07d8-7a41-b5da-ce75972a94d1'),
	(2, 'moved', '{"tags": [], "confidence": "1.0000", "expires_at": "2026-12-29T11:57:07Z", "visibility": "private", "merged_into": null, "relevance_score": "1.0000", "validated_count": 1, "community_confirmations": 0}', '{"tags": [], "confidence": "1.0000", "expires_at": "2026-12-29T11:57:07Z", "visibility": "private", "merged_into": null, "relevance_score": "1.0000", "validated_count": 3, "community_confirmations": 0}', 'user', '1', '{}', '2026-09-30 12:00:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22c-f238-7015-b792-7733730b09f6'),
	(1, 'created', NULL, '{"tags": ["trend"], "confidence": "0.8000", "expires_at": null, "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', 'run', '01a0f22c-07d8-7c05-bfdf-1992f24efbad', '{}', '2026-09-30 11:56:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22c-07d8-7fe1-94d6-71e69df10562'),
	(1, 'created', NULL, '{"tags": [], "confidence": "1.0000", "expires_at": "2026-12-29T11:57:07Z", "visibility": "private", "merged_into": null, "relevance_score": "1.0000", "validated_count": 1, "community_confirmations": 0}', 'run', '01a0f22c-f238-752d-a7c9-ccc7ab78b605', '{}', '2026-09-30 11:57:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22c-f238-7827-a87e-002fd0d86dd5'),
	(1, 'created', NULL, '{"tags": [], "confidence": "1.0000", "expires_at": "2026-11-29T11:58:07Z", "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', 'run', '01a0f22d-dc98-72ce-8d56-ca09fa265d68', '{}', '2026-09-30 11:58:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22d-dc98-78a8-88c0-61f183c60790'),
	(2, 'purged', '{"tags": [], "confidence": "1.0000", "expires_at": "2026-11-29T11:58:07Z", "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', NULL, 'test', '', '{}', '2026-09-30 11:59:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22d-dc98-78a8-88c0-61f183c60790'),
	(2, 'moved', '{"tags": ["trend"], "confidence": "0.8000", "expires_at": null, "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', '{"tags": ["trend", "rule"], "confidence": "0.8000", "expires_at": null, "visibility": "private", "merged_into": null, "relevance_score": "0.9500", "validated_count": 1, "community_confirmations": 0}', 'user', '1', '{}', '2026-09-30 12:00:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22c-07d8-7fe1-94d6-71e69df10562'),
	(2, 'moved', '{"tags": [], "confidence": "1.0000", "expires_at": "2026-12-29T11:57:07Z", "visibility": "private", "merged_into": null, "relevance_score": "1.0000", "validated_count": 1, "community_confirmations": 0}', '{"tags": [], "confidence": "1.0000", "expires_at": "2026-12-29T11:57:07Z", "visibility": "private", "merged_into": null, "relevance_score": "1.0000", "validated_count": 3, "community_confirmations": 0}', 'user', '1', '{}', '2026-09-30 12:00:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22c-f238-7827-a87e-002fd0d86dd5');
INSERT INTO public.memory_tag VALUES
	('trend', 'rule', '', '', 0.9500, 0.8000, '2026-09-30 11:56:07+00', 'infinity', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22c-07d8-7a41-b5da-ce75972a94d1'),
	('rule', 'rule', '', '', 0.9500, 0.8000, '2026-09-30 11:56:07+00', 'infinity', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22c-07d8-7a41-b5da-ce75972a94d1'),
	('', 'strategy_insight', 'ETH', 'breakout', 1.0000, 1.0000, '2026-09-30 11:57:07+00', '2026-12-29 11:57:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a0f22c-f238-7015-b792-7733730b09f6'),
	('trend', 'rule', '', '', 0.9500, 0.8000, '2026-09-30 11:56:07+00', 'infinity', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22c-07d8-7fe1-94d6-71e69df10562'),
	('rule', 'rule', '', '', 0.9500, 0.8000, '2026-09-30 11:56:07+00', 'infinity', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22c-07d8-7fe1-94d6-71e69df10562'),
	('', 'strategy_insight', 'ETH', 'breakout', 1.0000, 1.0000, '2026-09-30 11:57:07+00', '2026-12-29 11:57:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a0f22c-f238-7827-a87e-002fd0d86dd5');
INSERT INTO public.memory_target VALUES
	(0, 'instruments', 'observation', '2026-09-30 11:52:07+00', NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', 'ETH', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f228-5e58-7c74-8b00-a1deff903198'),
	(1, 'instruments', 'observation', '2026-09-30 11:52:07+00', NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', 'BTC', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f228-5e58-7c74-8b00-a1deff903198'),
	(0, 'instruments', 'observation', '2026-09-30 07:01:07+00', NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', 'ETH', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f11d-f338-7af8-a38c-a8aedd8eb21a'),
	(0, 'instruments', 'market_context', '2026-09-30 11:54:07+00', NULL, '01a22d77-0144-7690-81d7-e9b0c29893b0', 'BTC', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f22a-3318-7cfc-a644-5fb5c5a8f523'),
	(0, 'instruments', 'observation', '2026-09-30 11:55:07+00', '\x2b80d4612775d2f5ae612e16e586a457fe20e5a270b6fca32f33a821452b5103', '01a22d77-0144-7690-81d7-e9b0c29893b0', 'ETH', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f22b-1d78-7378-a680-d078ebcde769'),
	(0, 'instruments', 'again', '2026-09-30 11:57:07+00', '\xd8ada3844d16f932af8d91818f8397d6b92e3ed91f112655f0eacb7f7acde343', '01a22d77-0144-7690-81d7-e9b0c29893b0', 'ETH', '01a22d77-019d-723e-adb8-7eeda3867bd3', '01a0f22c-f238-7071-9952-9b63e2bf3a74'),
	(0, 'instruments', 'observation', '2026-09-30 11:52:07+00', NULL, '01a22d77-0847-76b3-b397-92c538e4c768', 'ETH', '01a22d77-087f-778c-869e-afc184170683', '01a0f228-5e58-7e5e-adc0-813073201a16'),
	(1, 'instruments', 'observation', '2026-09-30 11:52:07+00', NULL, '01a22d77-0847-76b3-b397-92c538e4c768', 'BTC', '01a22d77-087f-778c-869e-afc184170683', '01a0f228-5e58-7e5e-adc0-813073201a16'),
	(0, 'instruments', 'observation', '2026-09-30 07:01:07+00', NULL, '01a22d77-0847-76b3-b397-92c538e4c768', 'ETH', '01a22d77-087f-778c-869e-afc184170683', '01a0f11d-f338-714e-87cc-d653746faf3e'),
	(0, 'instruments', 'market_context', '2026-09-30 11:54:07+00', NULL, '01a22d77-0847-76b3-b397-92c538e4c768', 'BTC', '01a22d77-087f-778c-869e-afc184170683', '01a0f22a-3318-7ef5-8805-296382aac83d'),
	(0, 'instruments', 'observation', '2026-09-30 11:55:07+00', '\x91f2eaca8dbef64f213715e5096c3125c88079c344d91062d7ef4a62ae5a5a08', '01a22d77-0847-76b3-b397-92c538e4c768', 'ETH', '01a22d77-087f-778c-869e-afc184170683', '01a0f22b-1d78-7047-96f2-b8a447dfdf35'),
	(0, 'instruments', 'again', '2026-09-30 11:57:07+00', '\xcd05a4d333cb2034f85fbfb669e31de798ccc53a80e14773f21d6a80ae284026', '01a22d77-0847-76b3-b397-92c538e4c768', 'ETH', '01a22d77-087f-778c-869e-afc184170683', '01a0f22c-f238-774a-8e85-51669b7d7993');
INSERT INTO public.memory_term VALUES
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'btc', '01a0f228-5e58-7c74-8b00-a1deff903198', 1, 8),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'eth', '01a0f228-5e58-7c74-8b00-a1deff903198', 1, 8),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'line', '01a0f228-5e58-7c74-8b00-a1deff903198', 1, 8),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'momentum', '01a0f228-5e58-7c74-8b00-a1deff903198', 1, 8),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'quot', '01a0f228-5e58-7c74-8b00-a1deff903198', 1, 8),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'two', '01a0f228-5e58-7c74-8b00-a1deff903198', 1, 8),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'ünïcode', '01a0f228-5e58-7c74-8b00-a1deff903198', 1, 8),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', '✓', '01a0f228-5e58-7c74-8b00-a1deff903198', 1, 8),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'eth', '01a0f11d-f338-7af8-a38c-a8aedd8eb21a', 1, 4),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'later', '01a0f11d-f338-7af8-a38c-a8aedd8eb21a', 1, 4),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'older', '01a0f11d-f338-7af8-a38c-a8aedd8eb21a', 1, 4),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'written', '01a0f11d-f338-7af8-a38c-a8aedd8eb21a', 1, 4),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'btc', '01a0f22a-3318-7cfc-a644-5fb5c5a8f523', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'market', '01a0f22a-3318-7cfc-a644-5fb5c5a8f523', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'quiet', '01a0f22a-3318-7cfc-a644-5fb5c5a8f523', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'eth', '01a0f22b-1d78-7378-a680-d078ebcde769', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'market', '01a0f22b-1d78-7378-a680-d078ebcde769', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'quiet', '01a0f22b-1d78-7378-a680-d078ebcde769', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'market', '01a0f22c-07d8-7d2a-9f77-e0e0f6fc5213', 1, 2),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'quiet', '01a0f22c-07d8-7d2a-9f77-e0e0f6fc5213', 1, 2),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'eth', '01a0f22c-f238-7071-9952-9b63e2bf3a74', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'market', '01a0f22c-f238-7071-9952-9b63e2bf3a74', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'quiet', '01a0f22c-f238-7071-9952-9b63e2bf3a74', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'market', '01a0f22d-dc98-7815-bf6f-81f06d13024b', 1, 2),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'quiet', '01a0f22d-dc98-7815-bf6f-81f06d13024b', 1, 2),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'close', '01a0f22e-c6f8-7329-a8dc-18ff1515f04c', 1, 2),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'wait', '01a0f22e-c6f8-7329-a8dc-18ff1515f04c', 1, 2),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'agent', '01a0f22f-b158-7cc4-a66b-5e62f74fee66', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'agent-wid', '01a0f22f-b158-7cc4-a66b-5e62f74fee66', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'wide', '01a0f22f-b158-7cc4-a66b-5e62f74fee66', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'trade', '01a0f22c-07d8-7a41-b5da-ce75972a94d1', 1, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'trend', '01a0f22c-07d8-7a41-b5da-ce75972a94d1', 2, 3),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'breakout', '01a0f22c-f238-7015-b792-7733730b09f6', 2, 6),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'doubl', '01a0f22c-f238-7015-b792-7733730b09f6', 1, 6),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'eth', '01a0f22c-f238-7015-b792-7733730b09f6', 1, 6),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'hold', '01a0f22c-f238-7015-b792-7733730b09f6', 1, 6),
	('01a22d77-0144-7690-81d7-e9b0c29893b0', 'volum', '01a0f22c-f238-7015-b792-7733730b09f6', 1, 6),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'btc', '01a0f228-5e58-7e5e-adc0-813073201a16', 1, 8),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'eth', '01a0f228-5e58-7e5e-adc0-813073201a16', 1, 8),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'line', '01a0f228-5e58-7e5e-adc0-813073201a16', 1, 8),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'momentum', '01a0f228-5e58-7e5e-adc0-813073201a16', 1, 8),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'quot', '01a0f228-5e58-7e5e-adc0-813073201a16', 1, 8),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'two', '01a0f228-5e58-7e5e-adc0-813073201a16', 1, 8),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'ünïcode', '01a0f228-5e58-7e5e-adc0-813073201a16', 1, 8),
	('01a22d77-0847-76b3-b397-92c538e4c768', '✓', '01a0f228-5e58-7e5e-adc0-813073201a16', 1, 8),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'eth', '01a0f11d-f338-714e-87cc-d653746faf3e', 1, 4),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'later', '01a0f11d-f338-714e-87cc-d653746faf3e', 1, 4),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'older', '01a0f11d-f338-714e-87cc-d653746faf3e', 1, 4),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'written', '01a0f11d-f338-714e-87cc-d653746faf3e', 1, 4),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'btc', '01a0f22a-3318-7ef5-8805-296382aac83d', 1, 3);
INSERT INTO public.memory_term VALUES
	('01a22d77-0847-76b3-b397-92c538e4c768', 'market', '01a0f22a-3318-7ef5-8805-296382aac83d', 1, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'quiet', '01a0f22a-3318-7ef5-8805-296382aac83d', 1, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'eth', '01a0f22b-1d78-7047-96f2-b8a447dfdf35', 1, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'market', '01a0f22b-1d78-7047-96f2-b8a447dfdf35', 1, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'quiet', '01a0f22b-1d78-7047-96f2-b8a447dfdf35', 1, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'market', '01a0f22c-07d8-7d7c-958b-7b40c1dc2270', 1, 2),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'quiet', '01a0f22c-07d8-7d7c-958b-7b40c1dc2270', 1, 2),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'eth', '01a0f22c-f238-774a-8e85-51669b7d7993', 1, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'market', '01a0f22c-f238-774a-8e85-51669b7d7993', 1, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'quiet', '01a0f22c-f238-774a-8e85-51669b7d7993', 1, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'market', '01a0f22d-dc98-7573-af9d-ad36c656f6cd', 1, 2),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'quiet', '01a0f22d-dc98-7573-af9d-ad36c656f6cd', 1, 2),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'close', '01a0f22e-c6f8-7f20-bdfe-2c0740ddbbd6', 1, 2),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'wait', '01a0f22e-c6f8-7f20-bdfe-2c0740ddbbd6', 1, 2),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'agent', '01a0f22f-b158-7bca-8666-cc7e39cce9a8', 1, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'agent-wid', '01a0f22f-b158-7bca-8666-cc7e39cce9a8', 1, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'wide', '01a0f22f-b158-7bca-8666-cc7e39cce9a8', 1, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'trade', '01a0f22c-07d8-7fe1-94d6-71e69df10562', 1, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'trend', '01a0f22c-07d8-7fe1-94d6-71e69df10562', 2, 3),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'breakout', '01a0f22c-f238-7827-a87e-002fd0d86dd5', 2, 6),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'doubl', '01a0f22c-f238-7827-a87e-002fd0d86dd5', 1, 6),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'eth', '01a0f22c-f238-7827-a87e-002fd0d86dd5', 1, 6),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'hold', '01a0f22c-f238-7827-a87e-002fd0d86dd5', 1, 6),
	('01a22d77-0847-76b3-b397-92c538e4c768', 'volum', '01a0f22c-f238-7827-a87e-002fd0d86dd5', 1, 6);
INSERT INTO public.memory_token VALUES
	('01a22d77-01c7-77c5-87a2-7813ef6875cc', '03948df1cd031a3ae1', '\x74816372356d1c0214edb355fadb193a33b86f3e4c9287d2ed7521a5ebc96873', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:58:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01b7-71bc-844f-b8cd507bcbaf', NULL),
	('01a22d77-01de-73c8-ab78-b0bd260e5bda', '9b9d447bc8bab01dee', '\x8bb761dbba1c3a4457322bb8daf67815bee0dd7a78608447532070d8c62e6454', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:59:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01cf-712c-9d64-f156331c9851', NULL),
	('01a22d77-01b1-70ad-bcdb-627d67f27e6c', 'e81d5d1a73d6477132', '\xb02c757622383a4015f36930fa2d97940447716146e99e13c7b2458f2b5539d8', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 12:00:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-019d-723e-adb8-7eeda3867bd3', NULL),
	('01a22d77-01f4-73a8-b722-e82a4f7ac965', '706bf73d50e07a49ef', '\xef5ebae19e7f3e0ab93fec987e29ec699efbd27b93b12643e5f29920a0fed36d', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:58:07+00', '01a22d77-0144-7690-81d7-e9b0c29893b0', '01a22d77-01ea-764f-86ca-9a44ae85ce38', NULL),
	('01a22d77-089b-7300-800e-39fcd6de1f3b', 'c3d9310333918bbc1d', '\xdbe4cbfbde0ccbc2cf6cdf6727e6d89f1139e7e3ed07725574bbd9e0a946fafc', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:58:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-088c-766f-90b0-e94d7d84ec65', NULL),
	('01a22d77-08a2-74ae-ad66-6faba5bc775e', '707267d89930d12eb2', '\x038e3f83bf81abb0772b3a056803847296181288f3c5e335eef3231ab84d3ec2', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:59:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-089e-722b-8b54-4391dd5ba421', NULL),
	('01a22d77-0884-764b-884e-e6efaebb718e', '4f9048fd68c9a9e8fb', '\xea8d82298bb8ca4a6b454e7593942aebb8502a497760975af583886af0ca97de', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 12:00:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-087f-778c-869e-afc184170683', NULL),
	('01a22d77-08a9-70ba-a6fd-62f9043dc7ff', 'd94543fce6fee718a6', '\x262cc9686c01990993e8f511bf2831b31e0ab1f38cee23aa47e3a57b7d6d5333', '2026-08-31 12:01:07+00', NULL, NULL, '2026-09-30 11:58:07+00', '01a22d77-0847-76b3-b397-92c538e4c768', '01a22d77-08a6-73c9-a807-847a75b4a0cf', NULL);
SELECT pg_catalog.setval('public.auth_group_id_seq', 1, false);
SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 1, false);
SELECT pg_catalog.setval('public.auth_permission_id_seq', 180, true);
SELECT pg_catalog.setval('public.auth_user_groups_id_seq', 1, false);
SELECT pg_catalog.setval('public.auth_user_id_seq', 2, true);
SELECT pg_catalog.setval('public.auth_user_user_permissions_id_seq', 1, false);
SELECT pg_catalog.setval('public.axes_accessattempt_id_seq', 1, false);
SELECT pg_catalog.setval('public.axes_accessfailurelog_id_seq', 1, false);
SELECT pg_catalog.setval('public.axes_accesslog_id_seq', 2, true);
SELECT pg_catalog.setval('public.django_admin_log_id_seq', 1, false);
SELECT pg_catalog.setval('public.django_content_type_id_seq', 45, true);
SELECT pg_catalog.setval('public.django_migrations_id_seq', 59, true);
SELECT pg_catalog.setval('public.django_q_ormq_id_seq', 1, false);
SELECT pg_catalog.setval('public.django_q_schedule_id_seq', 1, false);
ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_group_id_94350c0c_uniq UNIQUE (user_id, group_id);
ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_permission_id_14a6b632_uniq UNIQUE (user_id, permission_id);
ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_username_key UNIQUE (username);
ALTER TABLE ONLY public.autopilot_backtest
    ADD CONSTRAINT autopilot_backtest_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.autopilot_event
    ADD CONSTRAINT autopilot_event_pkey PRIMARY KEY (session_id, seq);
ALTER TABLE ONLY public.autopilot_judgement
    ADD CONSTRAINT autopilot_judgement_pkey PRIMARY KEY (agent_id, rule_id, backtest_id);
ALTER TABLE ONLY public.autopilot_session
    ADD CONSTRAINT autopilot_session_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.autopilot_step
    ADD CONSTRAINT autopilot_step_pkey PRIMARY KEY (session_id, number);
ALTER TABLE ONLY public.autopilot_synthesis_claim
    ADD CONSTRAINT autopilot_synthesis_claim_pkey PRIMARY KEY (agent_id, strategy_type, evidence_hash);
ALTER TABLE ONLY public.axes_accessattempt
    ADD CONSTRAINT axes_accessattempt_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.axes_accessattempt
    ADD CONSTRAINT axes_accessattempt_username_ip_address_user_agent_8ea22282_uniq UNIQUE (username, ip_address, user_agent);
ALTER TABLE ONLY public.axes_accessattemptexpiration
    ADD CONSTRAINT axes_accessattemptexpiration_pkey PRIMARY KEY (access_attempt_id);
ALTER TABLE ONLY public.axes_accessfailurelog
    ADD CONSTRAINT axes_accessfailurelog_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.axes_accesslog
    ADD CONSTRAINT axes_accesslog_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);
ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_q_ormq
    ADD CONSTRAINT django_q_ormq_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_q_schedule
    ADD CONSTRAINT django_q_schedule_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_q_task
    ADD CONSTRAINT django_q_task_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_session
    ADD CONSTRAINT django_session_pkey PRIMARY KEY (session_key);
ALTER TABLE ONLY public.trading_indicator_run
    ADD CONSTRAINT indicator_run_agent_id UNIQUE (agent_id, id);
ALTER TABLE ONLY public.memory_agent
    ADD CONSTRAINT memory_agent_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_agent_tail
    ADD CONSTRAINT memory_agent_tail_pkey PRIMARY KEY (agent_id);
ALTER TABLE ONLY public.memory_cluster
    ADD CONSTRAINT memory_cluster_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_head
    ADD CONSTRAINT memory_head_pkey PRIMARY KEY (agent_id, instrument_id, producer_id, type);
ALTER TABLE ONLY public.memory_instrument
    ADD CONSTRAINT memory_instrument_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_jobrun
    ADD CONSTRAINT memory_jobrun_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_link
    ADD CONSTRAINT memory_link_pkey PRIMARY KEY (agent_id, source_id, ord);
ALTER TABLE ONLY public.memory_producer_enablement
    ADD CONSTRAINT memory_producer_enablement_pkey PRIMARY KEY (agent_id, producer_id, enabled_at);
ALTER TABLE ONLY public.memory_producer
    ADD CONSTRAINT memory_producer_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_queue_claim
    ADD CONSTRAINT memory_queue_claim_pkey PRIMARY KEY (row_id);
ALTER TABLE ONLY public.memory_record
    ADD CONSTRAINT memory_record_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_run
    ADD CONSTRAINT memory_run_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_selection
    ADD CONSTRAINT memory_selection_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_standing_change
    ADD CONSTRAINT memory_standing_change_pkey PRIMARY KEY (agent_id, record_id, revision);
ALTER TABLE ONLY public.memory_standing
    ADD CONSTRAINT memory_standing_pkey PRIMARY KEY (record_id);
ALTER TABLE ONLY public.memory_tag
    ADD CONSTRAINT memory_tag_pkey PRIMARY KEY (agent_id, record_id, tag);
ALTER TABLE ONLY public.memory_target
    ADD CONSTRAINT memory_target_pkey PRIMARY KEY (agent_id, record_id, instrument_id);
ALTER TABLE ONLY public.memory_token
    ADD CONSTRAINT memory_token_key_key UNIQUE (key);
ALTER TABLE ONLY public.memory_token
    ADD CONSTRAINT memory_token_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.memory_write_fault
    ADD CONSTRAINT memory_write_fault_pkey PRIMARY KEY (minute);
ALTER TABLE ONLY public.autopilot_synthesis_claim
    ADD CONSTRAINT synthesis_rule_once UNIQUE (agent_id, rule_id);
ALTER TABLE ONLY public.memory_term
    ADD CONSTRAINT term_key PRIMARY KEY (agent_id, lexeme, record_id) INCLUDE (tf, len);
ALTER TABLE ONLY public.trading_candle
    ADD CONSTRAINT trading_candle_pkey PRIMARY KEY (instrument_id, timeframe, opened_at);
ALTER TABLE ONLY public.trading_funding_rate
    ADD CONSTRAINT trading_funding_rate_pkey PRIMARY KEY (instrument_id, at);
ALTER TABLE ONLY public.trading_indicator_run
    ADD CONSTRAINT trading_indicator_run_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.trading_spot_pair
    ADD CONSTRAINT trading_spot_pair_pkey PRIMARY KEY (instrument_id);
CREATE UNIQUE INDEX agent_name_once ON public.memory_agent USING btree (owner_id, name);
CREATE INDEX auth_group_name_a6ea08ec_like ON public.auth_group USING btree (name varchar_pattern_ops);
CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON public.auth_group_permissions USING btree (group_id);
CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON public.auth_group_permissions USING btree (permission_id);
CREATE INDEX auth_permission_content_type_id_2f476e4b ON public.auth_permission USING btree (content_type_id);
CREATE INDEX auth_user_groups_group_id_97559544 ON public.auth_user_groups USING btree (group_id);
CREATE INDEX auth_user_groups_user_id_6a12ed8b ON public.auth_user_groups USING btree (user_id);
CREATE INDEX auth_user_user_permissions_permission_id_1fbb5f2c ON public.auth_user_user_permissions USING btree (permission_id);
CREATE INDEX auth_user_user_permissions_user_id_a95ead1b ON public.auth_user_user_permissions USING btree (user_id);
CREATE INDEX auth_user_username_6821ab7c_like ON public.auth_user USING btree (username varchar_pattern_ops);
CREATE INDEX axes_accessattempt_ip_address_10922d9c ON public.axes_accessattempt USING btree (ip_address);
CREATE INDEX axes_accessattempt_user_agent_ad89678b ON public.axes_accessattempt USING btree (user_agent);
CREATE INDEX axes_accessattempt_user_agent_ad89678b_like ON public.axes_accessattempt USING btree (user_agent varchar_pattern_ops);
CREATE INDEX axes_accessattempt_username_3f2d4ca0 ON public.axes_accessattempt USING btree (username);
CREATE INDEX axes_accessattempt_username_3f2d4ca0_like ON public.axes_accessattempt USING btree (username varchar_pattern_ops);
CREATE INDEX axes_accessfailurelog_ip_address_2e9f5a7f ON public.axes_accessfailurelog USING btree (ip_address);
CREATE INDEX axes_accessfailurelog_user_agent_ea145dda ON public.axes_accessfailurelog USING btree (user_agent);
CREATE INDEX axes_accessfailurelog_user_agent_ea145dda_like ON public.axes_accessfailurelog USING btree (user_agent varchar_pattern_ops);
CREATE INDEX axes_accessfailurelog_username_a8b7e8a4 ON public.axes_accessfailurelog USING btree (username);
CREATE INDEX axes_accessfailurelog_username_a8b7e8a4_like ON public.axes_accessfailurelog USING btree (username varchar_pattern_ops);
CREATE INDEX axes_accesslog_ip_address_86b417e5 ON public.axes_accesslog USING btree (ip_address);
CREATE INDEX axes_accesslog_user_agent_0e659004 ON public.axes_accesslog USING btree (user_agent);
CREATE INDEX axes_accesslog_user_agent_0e659004_like ON public.axes_accesslog USING btree (user_agent varchar_pattern_ops);
CREATE INDEX axes_accesslog_username_df93064b ON public.axes_accesslog USING btree (username);
CREATE INDEX axes_accesslog_username_df93064b_like ON public.axes_accesslog USING btree (username varchar_pattern_ops);
CREATE UNIQUE INDEX backtest_agent_id ON public.autopilot_backtest USING btree (agent_id, id);
CREATE UNIQUE INDEX backtest_of_iteration ON public.autopilot_backtest USING btree (session_id, iteration);
CREATE INDEX django_admin_log_content_type_id_c4bce8eb ON public.django_admin_log USING btree (content_type_id);
CREATE INDEX django_admin_log_user_id_c564eba6 ON public.django_admin_log USING btree (user_id);
CREATE INDEX django_q_task_id_32882367_like ON public.django_q_task USING btree (id varchar_pattern_ops);
CREATE INDEX django_session_expire_date_a5c62663 ON public.django_session USING btree (expire_date);
CREATE INDEX django_session_session_key_c0390e0f_like ON public.django_session USING btree (session_key varchar_pattern_ops);
CREATE UNIQUE INDEX enablement_open_once ON public.memory_producer_enablement USING btree (agent_id, producer_id) WHERE (disabled_at IS NULL);
CREATE INDEX indicator_run_of_run ON public.trading_indicator_run USING btree (agent_id, run_id);
CREATE INDEX indicator_run_recent ON public.trading_indicator_run USING btree (agent_id, instrument_id, computed_at DESC);
CREATE UNIQUE INDEX job_run_alone ON public.memory_jobrun USING btree (name) WHERE ((status)::text = 'running'::text);
CREATE INDEX job_run_finished ON public.memory_jobrun USING btree (finished_at DESC);
CREATE UNIQUE INDEX job_run_once ON public.memory_jobrun USING btree (name, intended_at);
CREATE INDEX job_run_started ON public.memory_jobrun USING btree (started_at DESC);
CREATE INDEX link_back ON public.memory_link USING btree (agent_id, target_id, link_type, source_id);
CREATE UNIQUE INDEX link_once ON public.memory_link USING btree (agent_id, source_id, target_id, link_type);
CREATE INDEX memory_agent_owner_id_ee3f80e5 ON public.memory_agent USING btree (owner_id);
CREATE INDEX memory_instrument_id_27a83d01_like ON public.memory_instrument USING btree (id varchar_pattern_ops);
CREATE INDEX memory_queue_claim_cluster_id_8730b339 ON public.memory_queue_claim USING btree (cluster_id);
CREATE INDEX memory_token_key_e0afcfac_like ON public.memory_token USING btree (key varchar_pattern_ops);
CREATE UNIQUE INDEX producer_agent_id ON public.memory_producer USING btree (agent_id, id);
CREATE UNIQUE INDEX producer_name_once ON public.memory_producer USING btree (agent_id, name);
CREATE UNIQUE INDEX record_agent_id ON public.memory_record USING btree (agent_id, id);
CREATE UNIQUE INDEX record_agent_id_scope ON public.memory_record USING btree (agent_id, id, scope);
CREATE UNIQUE INDEX record_agent_seq ON public.memory_record USING btree (agent_id, seq);
CREATE INDEX record_lane ON public.memory_record USING btree (agent_id, producer_id, type, created_at DESC, id DESC) WHERE ((originals_hash IS NULL) AND ((scope)::text = 'agent'::text));
CREATE INDEX record_time ON public.memory_record USING btree (agent_id, created_at DESC, id DESC) WHERE (purged_at IS NULL);
CREATE INDEX record_type_time ON public.memory_record USING btree (agent_id, type, created_at DESC, id DESC) WHERE (purged_at IS NULL);
CREATE UNIQUE INDEX run_agent_id ON public.memory_run USING btree (agent_id, id);
CREATE UNIQUE INDEX run_bound_once ON public.memory_run USING btree (agent_id, bound_token_id) WHERE ((status)::text = 'running'::text);
CREATE INDEX run_recent ON public.memory_run USING btree (agent_id, producer_id, started_at DESC);
CREATE UNIQUE INDEX selection_agent_id ON public.memory_selection USING btree (agent_id, id);
CREATE UNIQUE INDEX selection_open_once ON public.memory_selection USING btree (agent_id, instrument_id) WHERE (deselected_at IS NULL);
CREATE INDEX selection_period ON public.memory_selection USING btree (agent_id, instrument_id, selected_at);
CREATE UNIQUE INDEX session_agent_id ON public.autopilot_session USING btree (agent_id, id);
CREATE INDEX session_open ON public.autopilot_session USING btree (status, id) WHERE ((status)::text = ANY ((ARRAY['queued'::character varying, 'running'::character varying])::text[]));
CREATE UNIQUE INDEX session_open_once ON public.autopilot_session USING btree (agent_id, symbol_id, timeframe) WHERE ((status)::text = ANY ((ARRAY['queued'::character varying, 'running'::character varying])::text[]));
CREATE INDEX session_recent ON public.autopilot_session USING btree (agent_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX standing_agent_record ON public.memory_standing USING btree (agent_id, record_id);
CREATE INDEX standing_by_strategy ON public.memory_standing USING btree (agent_id, type, strategy_type, COALESCE(expires_at, 'infinity'::timestamp with time zone)) WHERE (merged_into_id IS NULL);
CREATE INDEX standing_by_symbol ON public.memory_standing USING btree (agent_id, type, symbol_id, COALESCE(expires_at, 'infinity'::timestamp with time zone)) WHERE (merged_into_id IS NULL);
CREATE INDEX step_lease ON public.autopilot_step USING btree (lease_until) WHERE ((status)::text = 'claimed'::text);
CREATE UNIQUE INDEX step_open_once ON public.autopilot_step USING btree (session_id) WHERE (NOT ((status)::text = 'done'::text));
CREATE INDEX success_index ON public.django_q_task USING btree ("group", name, func) WHERE success;
CREATE INDEX tag_by_strategy ON public.memory_tag USING btree (agent_id, type, tag, strategy_type, expires_at) INCLUDE (symbol, relevance, confidence, created_at, record_id);
CREATE INDEX tag_by_symbol ON public.memory_tag USING btree (agent_id, type, tag, symbol, expires_at) INCLUDE (relevance, confidence, created_at, record_id);
CREATE INDEX target_lane ON public.memory_target USING btree (agent_id, instrument_id, producer_id, type, created_at DESC, record_id DESC) WHERE (originals_hash IS NULL);
CREATE INDEX target_time ON public.memory_target USING btree (agent_id, instrument_id, created_at DESC, record_id DESC);
CREATE UNIQUE INDEX token_agent_id ON public.memory_token USING btree (agent_id, id);
CREATE INDEX trading_indicator_run_agent_id_65013561 ON public.trading_indicator_run USING btree (agent_id);
CREATE INDEX trading_spot_pair_instrument_id_f108971c_like ON public.trading_spot_pair USING btree (instrument_id varchar_pattern_ops);
CREATE TRIGGER agent_has_tail AFTER INSERT ON public.memory_agent FOR EACH ROW EXECUTE FUNCTION public.memory_agent_has_tail();
CREATE TRIGGER backtest_immutable BEFORE DELETE OR UPDATE ON public.autopilot_backtest FOR EACH ROW EXECUTE FUNCTION public.autopilot_immutable();
CREATE TRIGGER event_immutable BEFORE DELETE OR UPDATE ON public.autopilot_event FOR EACH ROW EXECUTE FUNCTION public.autopilot_immutable();
CREATE TRIGGER indicator_run_immutable BEFORE DELETE OR UPDATE ON public.trading_indicator_run FOR EACH ROW EXECUTE FUNCTION public.trading_refuse_change();
CREATE TRIGGER judgement_immutable BEFORE DELETE OR UPDATE ON public.autopilot_judgement FOR EACH ROW EXECUTE FUNCTION public.autopilot_immutable();
CREATE CONSTRAINT TRIGGER judgement_in_ledger AFTER INSERT ON public.autopilot_judgement DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.autopilot_judgement_ledgered();
CREATE TRIGGER judgement_matches AFTER INSERT ON public.autopilot_judgement FOR EACH ROW EXECUTE FUNCTION public.autopilot_judgement_matches();
CREATE TRIGGER link_immutable BEFORE DELETE OR UPDATE ON public.memory_link FOR EACH ROW EXECUTE FUNCTION public.memory_side_immutable();
CREATE TRIGGER link_whole AFTER INSERT ON public.memory_link REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.memory_link_whole();
CREATE TRIGGER producer_frozen BEFORE UPDATE ON public.memory_producer FOR EACH ROW EXECUTE FUNCTION public.memory_producer_frozen();
CREATE CONSTRAINT TRIGGER record_has_standing AFTER INSERT OR UPDATE ON public.memory_record DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.type)::text = ANY ((ARRAY['rule'::character varying, 'strategy_insight'::character varying, 'optimization'::character varying])::text[]))) EXECUTE FUNCTION public.memory_record_has_standing();
CREATE TRIGGER record_immutable BEFORE DELETE OR UPDATE ON public.memory_record FOR EACH ROW EXECUTE FUNCTION public.memory_record_immutable();
CREATE CONSTRAINT TRIGGER record_needs_target AFTER INSERT ON public.memory_record DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.scope)::text = 'instruments'::text)) EXECUTE FUNCTION public.memory_record_needs_target();
CREATE TRIGGER record_run_of_producer AFTER INSERT ON public.memory_record FOR EACH ROW WHEN ((new.imported_at IS NULL)) EXECUTE FUNCTION public.memory_record_run();
CREATE TRIGGER run_frozen BEFORE UPDATE ON public.memory_run FOR EACH ROW EXECUTE FUNCTION public.memory_run_frozen();
CREATE TRIGGER session_ended BEFORE DELETE OR UPDATE ON public.autopilot_session FOR EACH ROW WHEN ((old.ended_at IS NOT NULL)) EXECUTE FUNCTION public.autopilot_session_ended();
CREATE TRIGGER standing_change_rules BEFORE INSERT OR DELETE OR UPDATE ON public.memory_standing_change FOR EACH ROW EXECUTE FUNCTION public.memory_standing_change_rules();
CREATE TRIGGER standing_frozen BEFORE UPDATE ON public.memory_standing FOR EACH ROW EXECUTE FUNCTION public.memory_standing_frozen();
CREATE CONSTRAINT TRIGGER standing_in_ledger AFTER INSERT OR DELETE OR UPDATE ON public.memory_standing DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.memory_standing_ledgered();
CREATE TRIGGER standing_matches_record AFTER INSERT ON public.memory_standing FOR EACH ROW EXECUTE FUNCTION public.memory_standing_matches();
CREATE TRIGGER standing_tags AFTER INSERT OR UPDATE ON public.memory_standing FOR EACH ROW EXECUTE FUNCTION public.memory_standing_tags();
CREATE TRIGGER standing_untag BEFORE DELETE ON public.memory_standing FOR EACH ROW EXECUTE FUNCTION public.memory_standing_tags();
CREATE TRIGGER synthesis_frozen BEFORE DELETE OR UPDATE ON public.autopilot_synthesis_claim FOR EACH ROW EXECUTE FUNCTION public.autopilot_synthesis_frozen();
CREATE TRIGGER synthesis_made_rule AFTER INSERT OR UPDATE ON public.autopilot_synthesis_claim FOR EACH ROW WHEN ((new.rule_id IS NOT NULL)) EXECUTE FUNCTION public.autopilot_synthesis_of_rule();
CREATE TRIGGER target_immutable BEFORE DELETE OR UPDATE ON public.memory_target FOR EACH ROW EXECUTE FUNCTION public.memory_side_immutable();
CREATE TRIGGER target_whole AFTER INSERT ON public.memory_target REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.memory_target_whole();
CREATE TRIGGER token_frozen BEFORE UPDATE ON public.memory_token FOR EACH ROW EXECUTE FUNCTION public.memory_token_frozen();
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_group_id_97559544_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_6a12ed8b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.autopilot_backtest
    ADD CONSTRAINT autopilot_backtest_agent_id_c0380bf1_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.autopilot_backtest
    ADD CONSTRAINT autopilot_backtest_instrument_id_08412537_fk_memory_in FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.autopilot_judgement
    ADD CONSTRAINT autopilot_judgement_agent_id_6aeb0f18_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.autopilot_session
    ADD CONSTRAINT autopilot_session_agent_id_9a97aa5c_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.autopilot_session
    ADD CONSTRAINT autopilot_session_started_by_id_a95b1ce7_fk_auth_user_id FOREIGN KEY (started_by_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.autopilot_session
    ADD CONSTRAINT autopilot_session_symbol_id_0825ab07_fk_memory_instrument_id FOREIGN KEY (symbol_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.autopilot_synthesis_claim
    ADD CONSTRAINT autopilot_synthesis_claim_agent_id_c2523398_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.axes_accessattemptexpiration
    ADD CONSTRAINT axes_accessattemptex_access_attempt_id_6b73a47a_fk_axes_acce FOREIGN KEY (access_attempt_id) REFERENCES public.axes_accessattempt(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.autopilot_backtest
    ADD CONSTRAINT backtest_session_fk FOREIGN KEY (agent_id, session_id) REFERENCES public.autopilot_session(agent_id, id);
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_content_type_id_c4bce8eb_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_user_id_c564eba6_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_producer_enablement
    ADD CONSTRAINT enablement_producer_fk FOREIGN KEY (agent_id, producer_id) REFERENCES public.memory_producer(agent_id, id);
ALTER TABLE ONLY public.autopilot_event
    ADD CONSTRAINT event_session_fk FOREIGN KEY (agent_id, session_id) REFERENCES public.autopilot_session(agent_id, id);
ALTER TABLE ONLY public.memory_head
    ADD CONSTRAINT head_record_fk FOREIGN KEY (agent_id, record_id) REFERENCES public.memory_record(agent_id, id);
ALTER TABLE ONLY public.trading_indicator_run
    ADD CONSTRAINT indicator_run_run_fk FOREIGN KEY (agent_id, run_id) REFERENCES public.memory_run(agent_id, id);
ALTER TABLE ONLY public.autopilot_judgement
    ADD CONSTRAINT judgement_backtest_fk FOREIGN KEY (agent_id, backtest_id) REFERENCES public.autopilot_backtest(agent_id, id);
ALTER TABLE ONLY public.autopilot_judgement
    ADD CONSTRAINT judgement_rule_fk FOREIGN KEY (agent_id, rule_id) REFERENCES public.memory_record(agent_id, id);
ALTER TABLE ONLY public.memory_link
    ADD CONSTRAINT link_source_fk FOREIGN KEY (agent_id, source_id) REFERENCES public.memory_record(agent_id, id);
ALTER TABLE ONLY public.memory_link
    ADD CONSTRAINT link_target_fk FOREIGN KEY (agent_id, target_id) REFERENCES public.memory_record(agent_id, id);
ALTER TABLE ONLY public.memory_agent
    ADD CONSTRAINT memory_agent_owner_id_ee3f80e5_fk_auth_user_id FOREIGN KEY (owner_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_agent_tail
    ADD CONSTRAINT memory_agent_tail_agent_id_f69524ba_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_producer
    ADD CONSTRAINT memory_producer_agent_id_fcb67424_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_queue_claim
    ADD CONSTRAINT memory_queue_claim_row_id_b18a2234_fk_django_q_ormq_id FOREIGN KEY (row_id) REFERENCES public.django_q_ormq(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_record
    ADD CONSTRAINT memory_record_agent_id_a5137619_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_run
    ADD CONSTRAINT memory_run_agent_id_de594018_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_selection
    ADD CONSTRAINT memory_selection_agent_id_a18acf66_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_selection
    ADD CONSTRAINT memory_selection_instrument_id_7254beec_fk_memory_instrument_id FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_standing
    ADD CONSTRAINT memory_standing_agent_id_c19a1c34_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_standing
    ADD CONSTRAINT memory_standing_author_id_31f5dcf3_fk_auth_user_id FOREIGN KEY (author_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_standing
    ADD CONSTRAINT memory_standing_symbol_id_badd96c7_fk_memory_instrument_id FOREIGN KEY (symbol_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_target
    ADD CONSTRAINT memory_target_instrument_id_c3273442_fk_memory_instrument_id FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_token
    ADD CONSTRAINT memory_token_agent_id_62121289_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.memory_record
    ADD CONSTRAINT record_producer_fk FOREIGN KEY (agent_id, producer_id) REFERENCES public.memory_producer(agent_id, id);
ALTER TABLE ONLY public.memory_run
    ADD CONSTRAINT run_bound_token_fk FOREIGN KEY (agent_id, bound_token_id) REFERENCES public.memory_token(agent_id, id);
ALTER TABLE ONLY public.memory_run
    ADD CONSTRAINT run_producer_fk FOREIGN KEY (agent_id, producer_id) REFERENCES public.memory_producer(agent_id, id);
ALTER TABLE ONLY public.autopilot_session
    ADD CONSTRAINT session_best_fk FOREIGN KEY (agent_id, best_id) REFERENCES public.autopilot_backtest(agent_id, id);
ALTER TABLE ONLY public.memory_standing_change
    ADD CONSTRAINT standing_change_record_fk FOREIGN KEY (agent_id, record_id) REFERENCES public.memory_record(agent_id, id);
ALTER TABLE ONLY public.memory_standing
    ADD CONSTRAINT standing_merged_fk FOREIGN KEY (agent_id, merged_into_id) REFERENCES public.memory_standing(agent_id, record_id);
ALTER TABLE ONLY public.memory_standing
    ADD CONSTRAINT standing_record_fk FOREIGN KEY (agent_id, record_id) REFERENCES public.memory_record(agent_id, id);
ALTER TABLE ONLY public.autopilot_step
    ADD CONSTRAINT step_session_fk FOREIGN KEY (agent_id, session_id) REFERENCES public.autopilot_session(agent_id, id);
ALTER TABLE ONLY public.autopilot_synthesis_claim
    ADD CONSTRAINT synthesis_rule_fk FOREIGN KEY (agent_id, rule_id) REFERENCES public.memory_record(agent_id, id);
ALTER TABLE ONLY public.autopilot_synthesis_claim
    ADD CONSTRAINT synthesis_session_fk FOREIGN KEY (agent_id, session_id) REFERENCES public.autopilot_session(agent_id, id);
ALTER TABLE ONLY public.memory_tag
    ADD CONSTRAINT tag_standing_fk FOREIGN KEY (agent_id, record_id) REFERENCES public.memory_standing(agent_id, record_id);
ALTER TABLE ONLY public.memory_target
    ADD CONSTRAINT target_scope_fk FOREIGN KEY (agent_id, record_id, scope) REFERENCES public.memory_record(agent_id, id, scope);
ALTER TABLE ONLY public.memory_token
    ADD CONSTRAINT token_producer_fk FOREIGN KEY (agent_id, producer_id) REFERENCES public.memory_producer(agent_id, id);
ALTER TABLE ONLY public.memory_token
    ADD CONSTRAINT token_run_fk FOREIGN KEY (agent_id, run_id) REFERENCES public.memory_run(agent_id, id);
ALTER TABLE ONLY public.trading_candle
    ADD CONSTRAINT trading_candle_instrument_id_60fa92ac_fk_memory_instrument_id FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.trading_funding_rate
    ADD CONSTRAINT trading_funding_rate_instrument_id_de7a3101_fk_memory_in FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.trading_indicator_run
    ADD CONSTRAINT trading_indicator_ru_instrument_id_02b729a0_fk_memory_in FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.trading_indicator_run
    ADD CONSTRAINT trading_indicator_run_agent_id_65013561_fk_memory_agent_id FOREIGN KEY (agent_id) REFERENCES public.memory_agent(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.trading_spot_pair
    ADD CONSTRAINT trading_spot_pair_instrument_id_f108971c_fk_memory_in FOREIGN KEY (instrument_id) REFERENCES public.memory_instrument(id) DEFERRABLE INITIALLY DEFERRED;
